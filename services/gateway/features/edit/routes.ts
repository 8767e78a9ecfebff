import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { limited } from '../../admission/limited.ts';
import type { Language } from '../../http/language.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { ITEM_ID, NAMESPACE } from '../../items/item-address.ts';
import { redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM, parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import {
  confirmation,
  editingField,
  leaveDialog,
  PREVIEW_FRAME_PATH,
  tokenForm,
} from '../../pages/owner-parts.ts';
import { page } from '../../pages/page.ts';
import { framePolicy, servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { assetAddress } from '../../web/assets.ts';
import { type Texts, textsIn } from '../../web/texts/texts.ts';

const SHOW_EDIT: Operation = {
  operationId: 'showEdit',
  summary: 'The page that edits an item',
  description:
    "With an owner token that the browser keeps, or behind `#k=`, the page edits a page, a document or a store, with a preview. It is the same for an item that is not there: the page's script asks for it.",
  tags: ['Owner'],
  security: [],
  parameters: parameters(...ITEM),
  responses: {
    '200': ownPage('The page.', 'Edit an item · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures(['NOT_FOUND'], { page: true }),
  },
  'x-example-requests': [{ summary: 'The page', status: 200, needs: 'html' }],
};

const SHOW_FRAME: Operation = {
  operationId: 'showPreviewFrame',
  summary: 'The page in the frame of a preview',
  description:
    'Shows, without an origin, what a page of this service sends it. Only pages of this service can frame it.',
  tags: ['Service'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': {
      description: 'The page.',
      headers: headers(
        ['Cache-Control', 'Content-Security-Policy', 'Referrer-Policy', 'Vary'],
        ['Content-Encoding', ...RATE_LIMIT],
      ),
      content: ownPage('', 'Preview').content ?? {},
    },
    '302': redirect('To the host that has this page.'),
    ...failures([], { page: true }),
  },
  'x-example-requests': [{ summary: 'The page', status: 200 }],
};

/** Routes of the page that edits an item (specification 15.10). */
export const editRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .get(PREVIEW_FRAME_PATH, ({ context }) => previewFrame(context), {
      detail: documented(SHOW_FRAME, 'page'),
    })
    .get(
      '/edit/:ns/:id',
      ({ context, params: { ns: namespace, id } }) => {
        if (!NAMESPACE.test(namespace) || !ITEM_ID.test(id)) throw errors.routeNotFound(context.path);
        const { language } = context;
        return servicePage(context, editPage({ namespace, id, language }), { framed: PREVIEW_FRAME_PATH });
      },
      { detail: documented(SHOW_EDIT, 'page') },
    );

/**
 * The page in the frame of a preview. Its policy gives it an origin of nobody's, like hosted content, and only pages of this
 * service can frame it; its script shows what they send.
 */
function previewFrame({ request, language }: RequestContext): Response {
  const page = html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>${textsIn(language).editing.preview}</title>
<script type="module" src="${assetAddress('preview-frame.js')}"></script>
</head>
<body></body>
</html>
`;
  return new Response(page.toString(), {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': framePolicy(request.headers.get('host')),
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
      Vary: 'Accept, Sec-Fetch-Dest, Accept-Language, Cookie',
    },
  });
}

interface EditPageInput {
  readonly namespace: string;
  readonly id: string;
  readonly language: Language;
}

/** The editor of one item, for whoever has its owner token; the same for every address, whether there is an item or not. */
export function editPage({ namespace, id, language }: EditPageInput): string {
  const texts = textsIn(language);
  const { edit, form, manage } = texts;
  const address = `${namespace}/${id}`;
  const content = html`<textarea id="content" class="code" rows="18" aria-required="true" spellcheck="false" aria-describedby="document-said"></textarea>`;
  const links = html`<a class="button quiet" href="/${address}" target="_blank">${edit.open}</a><a class="button quiet" href="/manage/${address}">${edit.manage}</a>`;
  const body = html`<article id="edit" data-namespace="${namespace}" data-id="${id}">
<h1>${edit.heading} <span class="manage-address">${address}</span></h1>
<noscript><p class="notice">${edit.noScript}</p></noscript>
<div id="edit-fault" class="notice error in-sight" role="alert" tabindex="-1" hidden></div>
${tokenForm('edit', manage)}
<form id="edit-form" class="stack" hidden>
<div id="edit-title" class="field"><label for="title">${form.title}</label>
<input id="title" type="text" maxlength="200" autocomplete="off"></div>
${editingField({ field: content, id: 'content', label: form.content, isPage: true }, texts)}
<p class="hint" id="document-said" role="status"></p>
<div class="row end edit-bar"><button id="edit-save" class="button">${edit.save}</button>${links}<p id="edit-said" class="hint grow" role="status"></p></div>
</form>
${pairTable(texts, links)}
<p id="edit-elsewhere" hidden>${edit.editable} <a href="/manage/${address}">${edit.manage}</a></p>
</article>
${conflictDialog(texts)}
${confirmation('remove-key', texts.pairs.removeHeading, null, texts.pairs.remove, texts.owned.cancel)}
${leaveDialog(texts)}`;
  return page({ title: `${edit.title} · Perch`, body, width: 'full', language, script: 'edit' });
}

/** The keys of a store, each with its value below it. `links` lead to the store and to its management. */
const pairTable = ({ pairs: t, form }: Texts, links: SafeHtml): SafeHtml => {
  const types = html`<option value="text">${form.valueText}</option><option value="json">${form.valueJson}</option>`;
  return html`<section id="edit-pairs" aria-labelledby="pair-heading" hidden>
<h2 id="pair-heading">${t.keys}</h2>
<div class="row end"><p id="pair-count" class="muted grow"></p>${links}</div>
<div id="pairs-fault" class="notice error in-sight" role="alert" tabindex="-1" hidden></div>
<p id="pairs-said" class="notice in-sight" role="status" hidden></p>
<ul id="pair-list" class="pair-list"></ul>
<form id="pair-new" class="panel stack" autocomplete="off"><h3>${t.addHeading}</h3>
<div class="row"><div class="field grow"><label for="new-key">${form.key}</label><input id="new-key" type="text" maxlength="256" required autocapitalize="off" spellcheck="false"></div>
<div class="field"><label for="new-type">${form.valueType}</label><select id="new-type">${types}</select></div></div>
<div class="field"><label for="new-value">${form.value}</label><textarea id="new-value" class="code" rows="3" spellcheck="false"></textarea></div>
<button class="button">${t.add}</button></form>
</section>
<template id="pair-row"><li class="pair-row"><details><summary><bdi><code class="pair-key"></code></bdi> <span class="pair-size hint"></span></summary>
<form class="stack" hidden><textarea class="code" rows="5" spellcheck="false" aria-label="${form.value}"></textarea>
<div class="pair-theirs notice" role="status" hidden><p>${t.theirs}</p><pre tabindex="0"></pre></div>
<div class="row end"><select class="pair-type" aria-label="${form.valueType}">${types}</select><button class="button small">${t.save}</button><button type="button" class="button quiet small danger" data-action="remove">${t.remove}</button></div></form>
</details></li></template>`;
};

/** Asks how to go on after somebody else has changed the text meanwhile. */
const conflictDialog = ({
  edit,
}: Texts): SafeHtml => html`<dialog id="conflict-dialog" class="roomy" aria-labelledby="conflict-heading"><form method="dialog" class="stack">
<h2 id="conflict-heading">${edit.conflictHeading}</h2>
<p>${edit.conflictLead}</p>
<details id="conflict-theirs"><summary>${edit.theirs}</summary><pre tabindex="0"></pre></details>
<div class="row end"><button class="button" value="">${edit.keepMine}</button><button class="button quiet" value="theirs">${edit.takeTheirs}</button><button class="button quiet danger" value="overwrite">${edit.overwrite}</button></div>
</form></dialog>`;
