import { html } from '../../../../shared/pages/html.ts';
import type { Language } from '../../http/language.ts';
import { tokenForm } from '../../pages/owner-parts.ts';
import { page } from '../../pages/page.ts';
import { textsIn } from '../../web/texts/texts.ts';
import { itemDialogs, itemTemplates } from './item-template.ts';

interface ManagePageInput {
  readonly namespace: string;
  readonly id: string;
  readonly language: Language;
  /** Whether the operator has turned on domains of owners. */
  readonly withDomains: boolean;
}

/**
 * One item, for whoever has its management link: the owner token in the link's fragment never reaches the server but as
 * a header of what is done here. It is equal for every address, whether there is an item or not.
 */
export function managePage({ namespace, id, language, withDomains }: ManagePageInput): string {
  const texts = textsIn(language);
  const { manage } = texts;
  const body = html`<article id="manage" data-namespace="${namespace}" data-id="${id}">
<h1>${manage.heading} <span class="manage-address">${namespace}/${id}</span></h1>
<noscript><p class="notice">${manage.noScript}</p></noscript>
<div id="manage-fault" class="notice error" role="alert" tabindex="-1" hidden></div>
<p id="manage-said" class="notice" role="status" hidden></p>
${tokenForm('manage', manage)}
<ul id="manage-item" class="owned-list" aria-label="${manage.title}"></ul>
<div id="manage-keep" class="row end" hidden><button type="button" class="button quiet">${manage.keep}</button><p class="hint grow">${manage.keepHint}</p></div>
<p><a href="/mine">${manage.mine}</a></p>
</article>
${itemTemplates(texts, withDomains)}
${itemDialogs(texts, withDomains)}`;
  return page({
    title: `${manage.title} · Perch`,
    body,
    width: 'wide',
    language,
    script: 'manage',
    styles: ['charts.css'],
  });
}
