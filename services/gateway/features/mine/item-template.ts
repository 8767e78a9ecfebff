import { KINDS } from '../../../../shared/items/item.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { kindBadge } from '../../pages/item-parts.ts';
import { confirmation } from '../../pages/owner-parts.ts';
import type { Texts } from '../../web/texts/texts.ts';

/** Templates that browser code copies for each item (`web/browser/owned-item.ts`), and the badges of the kinds. */
export const itemTemplates = (texts: Texts, withDomains: boolean): SafeHtml => {
  const { owned, language: words } = texts;
  const button = (name: string, label: string, classes = 'button quiet small'): SafeHtml =>
    html`<button type="button" class="${classes}" data-action="${name}">${label}</button>`;
  return html`<template id="owned-item"><li class="owned">
<div class="owned-main">
<p class="card-head"><span class="owned-kind"></span><span class="owned-protected" hidden>${owned.protected}</span></p>
<h2><a class="owned-title"><bdi></bdi></a></h2>
<p class="owned-address"></p>
<p class="owned-quarantine notice error" hidden></p>
<p class="card-facts"><span class="owned-size"></span><span class="owned-views"></span><span class="owned-expiry">${words.expires} <time></time></span></p>
</div>
<div class="owned-actions"><a class="button quiet small" data-action="edit">${owned.edit}</a>${button('replace', owned.replace)}${button('copy', owned.copyAddress)}${button('qr', owned.qrCode)}<a class="button quiet small" data-action="download">${owned.download}</a>${button('renew', owned.renew)}${button('link', owned.link)}${button('remove', owned.remove, 'button quiet small danger')}</div>
${itemHistory(texts)}
${withDomains ? itemDomain(texts) : ''}</li></template>
${KINDS.map((kind) => html`<template id="badge-${kind}">${kindBadge(kind, texts)}</template>\n`)}`;
};

/** Views of an item over time, filled in when they are opened (`web/browser/item-history.ts`). */
const itemHistory = ({ owned, stats }: Texts): SafeHtml => {
  const chart = (name: string, caption: string): SafeHtml =>
    html`<figure class="chart"><figcaption><span>${caption}</span> <strong data-sum="${name}"></strong></figcaption><div class="chart-place" data-chart="${name}"></div></figure>`;
  return html`<details class="history owned-history"><summary>${owned.history}</summary>
<div class="charts" hidden>${chart('hours', owned.lastHours)}${chart('days', owned.lastDays)}</div>
<div class="owned-readers" hidden><h3>${owned.readers}</h3><ul class="referers"></ul>
<details><summary>${stats.asTable}</summary><div class="history-table" tabindex="0" role="region" aria-label="${owned.lastDays}"><table><thead><tr><th scope="col">${owned.day}</th><th scope="col">${stats.views}</th></tr></thead><tbody></tbody></table></div></details>
<p class="hint">${owned.historyHint}</p></div>
</details>`;
};

/** The dialogs of an item's actions (`web/browser/dialogs.ts`). */
export const itemDialogs = (texts: Texts, withDomains: boolean): SafeHtml => {
  const { owned, form } = texts;
  return html`<dialog id="renew-dialog" aria-labelledby="renew-heading"><form method="dialog" class="stack">
<h2 id="renew-heading">${owned.renewHeading}</h2>
<p class="dialog-name"></p>
<div class="field"><label for="renew-days">${form.keepFor}</label>
<select id="renew-days">${[1, 7, 15, 30].map((days) => html`<option value="${days}">${form.days(days)}</option>`)}</select>
<p class="hint">${owned.renewHint}</p></div>
<div class="row end"><button class="button" value="ok">${owned.renew}</button><button class="button quiet" value="">${owned.cancel}</button></div>
</form></dialog>
${confirmation('remove', owned.removeHeading, null, owned.remove, owned.cancel)}
<dialog id="link-dialog" aria-labelledby="link-heading"><form method="dialog" class="stack">
<h2 id="link-heading"></h2>
<p class="link-hint" hidden>${owned.linkHint}</p>
<img class="link-qr" alt="" width="220" height="220">
<p class="link-text" tabindex="0"></p>
<div class="row end"><button type="button" class="button" data-action="copy">${owned.copyLink}</button><button class="button quiet" value="">${owned.close}</button></div>
</form></dialog>
${withDomains ? domainDialog(texts) : ''}`;
};

/** The domain of an item, filled in when it is opened (`web/browser/item-domain.ts`). */
const itemDomain = ({ domains: t }: Texts): SafeHtml => {
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
const domainDialog = ({ domains: t, owned }: Texts): SafeHtml =>
  confirmation('domain', t.removeHeading, t.removeHint, t.remove, owned.cancel);
