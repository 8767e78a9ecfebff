import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { confirmation } from '../../pages/owner-parts.ts';
import type { Texts } from '../../web/texts/texts.ts';

/** The domain of an item, filled in when it is opened (`web/browser/item-domain.ts`). */
export const itemDomain = ({ domains: t }: Texts): SafeHtml => {
  const row = (name: string, label: string, copy: string): SafeHtml =>
    html`<div><dt>${label}</dt><dd data-copy="${copy}"><code data-record="${name}"></code></dd></div>`;
  return html`<details class="history owned-domain"><summary>${t.heading}</summary>
<form class="domain-form row end" autocomplete="off"><label class="field grow">${t.domain}<input name="domain" type="text" required maxlength="237" inputmode="url" autocapitalize="off" spellcheck="false" placeholder="www.example.org"></label><button class="button">${t.set}</button></form>
<div class="domain-claim" hidden>
<p role="status"><strong class="domain-state"></strong> <span class="domain-hint"></span></p>
<dl class="domain-record"><div><dt>${t.type}</dt><dd><code>TXT</code></dd></div>${row('name', t.name, t.copyName)}${row('value', t.value, t.copyValue)}${row('target', t.target, t.copyTarget)}</dl>
<div class="owned-actions"><button type="button" class="button quiet small" data-domain="check">${t.check}</button><button type="button" class="button quiet small danger" data-domain="remove">${t.remove}</button></div>
</div></details>`;
};

/** Asks before a domain is taken away from its item. */
export const domainDialog = ({ domains: t, owned }: Texts): SafeHtml =>
  confirmation('domain', t.removeHeading, t.removeHint, t.remove, owned.cancel);
