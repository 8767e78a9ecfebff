import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { html } from '../../../../shared/pages/html.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { ITEM_ID, NAMESPACE } from '../../items/item-address.ts';
import { redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM, parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { PREVIEW_FRAME_PATH } from '../../pages/owner-parts.ts';
import { framePolicy, servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { assetAddress } from '../../web/assets.ts';
import { textsIn } from '../../web/texts/texts.ts';
import { editPage } from './edit-page.ts';

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
  'x-example-requests': [{ summary: 'The page', status: 200, needs: 'page' }],
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
