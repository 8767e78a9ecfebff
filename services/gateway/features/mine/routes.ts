import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { limited } from '../../admission/limited.ts';
import type { Language } from '../../http/language.ts';
import { ITEM_ID, NAMESPACE } from '../../items/item-address.ts';
import { redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM, parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { confirmation, tokenForm } from '../../pages/owner-parts.ts';
import { page } from '../../pages/page.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { type Texts, textsIn } from '../../web/texts/texts.ts';
import { itemDialogs, itemTemplates } from './item-template.ts';

const SHOW_MINE: Operation = {
  operationId: 'showMine',
  summary: 'What a browser has published',
  description:
    'A page that lists the items of the owner tokens kept in the browser, to renew, share, download and delete them. `#token=` in its address offers to keep another token; what is behind the `#` never reaches the server.',
  tags: ['Owner'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ownPage('The page.', 'My items · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures([], { page: true }),
  },
  'x-example-requests': [{ summary: 'The page', status: 200 }],
};

const SHOW_MANAGE: Operation = {
  operationId: 'showManage',
  summary: 'The management page of an item',
  description:
    "With its owner token behind `#k=`, the page renews, shares, downloads and deletes the item. It is the same for an item that is not there: the page's script asks for it.",
  tags: ['Owner'],
  security: [],
  parameters: parameters(...ITEM),
  responses: {
    '200': ownPage('The page.', 'Manage an item · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures(['NOT_FOUND'], { page: true }),
  },
  'x-example-requests': [{ summary: 'The page', status: 200, needs: 'html' }],
};

/** Pages for owners in a browser (specification 15.8). */
export function mineRoutes(deps: UploadDependencies) {
  const withDomains = deps.config.customDomains !== null;
  return new Elysia()
    .use(limited(deps))
    .get('/mine', ({ context }) => servicePage(context, minePage(context.language, withDomains)), {
      detail: documented(SHOW_MINE, 'page'),
    })
    .get(
      '/manage/:ns/:id',
      ({ context, params: { ns: namespace, id } }) => {
        if (!NAMESPACE.test(namespace) || !ITEM_ID.test(id)) throw errors.routeNotFound(context.path);
        const { language } = context;
        return servicePage(context, managePage({ namespace, id, language, withDomains }));
      },
      { detail: documented(SHOW_MANAGE, 'page') },
    );
}

/**
 * The items of a browser. The server knows nothing of them: `web/browser/pages/mine.ts` fills in the page.
 * @param withDomains whether the operator has turned on domains of owners
 */
export function minePage(language: Language, withDomains: boolean): string {
  const texts = textsIn(language);
  const { mine, owned } = texts;
  const body = html`<article id="mine">
<h1>${mine.title}</h1>
<p class="lead">${mine.lead}</p>
<noscript><p class="notice">${mine.noScript}</p></noscript>
<div id="mine-fault" class="notice error in-sight" role="alert" tabindex="-1" hidden></div>
<p id="mine-said" class="notice in-sight" role="status" hidden></p>
<div class="owned-bar" hidden>
<div class="grow"><label for="mine-search" class="visually-hidden">${mine.search}</label>
<input id="mine-search" type="search" placeholder="${mine.search}" autocomplete="off" spellcheck="false"></div>
<div><label for="mine-order" class="visually-hidden">${mine.order}</label>
<select id="mine-order"><option value="newest">${mine.newest}</option><option value="expiring">${mine.expiring}</option><option value="views">${mine.mostViewed}</option></select></div>
</div>
<p id="mine-count" class="muted" role="status"></p>
<ul id="mine-items" class="owned-list" aria-label="${mine.items}"></ul>
<p><button type="button" id="mine-more" class="button quiet" hidden>${mine.more}</button></p>
<div id="mine-empty" class="gallery-empty" hidden><p>${mine.empty}</p><p class="muted">${mine.emptyHint}</p><p><a class="button" href="/">${mine.publish}</a></p></div>
${tokenSection(texts)}
</article>
${itemTemplates(texts, withDomains)}
${itemDialogs(texts, withDomains)}
${confirmation('forget', mine.forgetHeading, mine.forgetHint, mine.forget, owned.cancel)}
${confirmation('add', mine.addHeading, mine.addHint, mine.add, owned.cancel)}`;
  return page({
    title: `${mine.title} · Perch`,
    body,
    width: 'wide',
    language,
    script: 'mine',
    current: '/mine',
    styles: ['charts.css'],
  });
}

const tokenSection = ({
  mine,
}: Texts): SafeHtml => html`<section id="token-section" aria-labelledby="tokens" hidden>
<h2 id="tokens">${mine.tokens}</h2>
<p class="muted">${mine.tokensLead}</p>
<p id="no-tokens" class="muted" hidden>${mine.noTokens}</p>
<ul id="token-list" class="token-list"></ul>
<div class="row end"><button type="button" id="token-save" class="button quiet">${mine.save}</button><input id="token-file" type="file" class="visually-hidden" accept=".json,.txt,application/json,text/plain"><label for="token-file" class="button quiet">${mine.fromFile}</label></div>
<form id="token-form" class="row end" autocomplete="off"><div class="field grow"><label for="token-new">${mine.addToken}</label>
<input id="token-new" type="text" minlength="16" maxlength="512" required autocapitalize="off" spellcheck="false"></div><button class="button quiet">${mine.add}</button></form>
</section>
<template id="token"><li class="token"><div class="grow"><code class="token-text"></code><p class="hint token-about"></p><p class="hint token-publishing" hidden>${mine.publishing}</p></div><div class="owned-actions"><button type="button" class="button quiet small" data-action="use">${mine.publishWith}</button><button type="button" class="button quiet small" data-action="copy">${mine.copyToken}</button><button type="button" class="button quiet small" data-action="link">${mine.tokenLink}</button><button type="button" class="button quiet small danger" data-action="forget">${mine.forget}</button></div></li></template>`;

interface ManagePageInput {
  readonly namespace: string;
  readonly id: string;
  readonly language: Language;
  /** Whether the operator has turned on domains of owners. */
  readonly withDomains: boolean;
}

/**
 * The page of one item, for whoever has its management link: the owner token in the link's fragment reaches the server only
 * in a header of the requests that the page sends. The page is the same for every address, whether there is an item or not.
 */
export function managePage({ namespace, id, language, withDomains }: ManagePageInput): string {
  const texts = textsIn(language);
  const { manage } = texts;
  const body = html`<article id="manage" data-namespace="${namespace}" data-id="${id}">
<h1>${manage.heading} <span class="manage-address">${namespace}/${id}</span></h1>
<noscript><p class="notice">${manage.noScript}</p></noscript>
<div id="manage-fault" class="notice error in-sight" role="alert" tabindex="-1" hidden></div>
<p id="manage-said" class="notice in-sight" role="status" tabindex="-1" hidden></p>
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
