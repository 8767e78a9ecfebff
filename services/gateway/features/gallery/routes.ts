import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { callToRead } from '../../../../shared/contracts/call.ts';
import { type GalleryItem, listGallery, listOwnGallery } from '../../../../shared/contracts/gallery.ts';
import type { ReplyOf } from '../../../../shared/contracts/operation.ts';
import { KINDS, type Kind } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import { hashOwnerToken, ownerTokenOf } from '../../auth/owner-token.ts';
import { isSet, type NumberedPage, numberedPage, offsetAndLimit } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { currentViews, instant, itemLinks } from '../../items/serializer.ts';
import { json, ok, redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import type { Operation } from '../../openapi/operation.ts';
import { OWNER, OWNER_OPTIONAL, type ParameterName, parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { listedSample } from '../../openapi/samples.ts';
import * as schemas from '../../openapi/schema-parts.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { galleryPage } from './gallery-page.ts';
import { PICTURES, pictureOf } from './pictures.ts';
import { CARDS, type GalleryQuery, parseGalleryQuery } from './query.ts';

export const GALLERY_SCHEMAS: Record<string, TSchema> = {
  GalleryItem: schemas.answer('A public item.', {
    ...schemas.NAME,
    type: Type.Unsafe({ type: 'string', enum: KINDS, description: "The item's kind." }),
    title: schemas.text('What the item is called; its id when it has no title.'),
    ...schemas.tags,
    url: schemas.URLS.url,
    shortUrl: schemas.URLS.shortUrl,
    ...schemas.sizeBytes,
    ...schemas.views,
    ...schemas.createdAt,
    ...schemas.expiresAt,
  }),
  GalleryPage: schemas.numberedPage('GalleryItem', 'Public items that match.', {
    totalIsLowerBound: Type.Optional(
      Type.Boolean({
        description: 'Whether more items may match the search than the `total` that were ranked.',
      }),
    ),
  }),
};

const sampleOf = (type: string) => {
  const { namespace, id, title, tags, url, shortUrl, views, createdAt, expiresAt } = listedSample;
  return { namespace, id, type, title, tags, url, shortUrl, sizeBytes: 20_480, views, createdAt, expiresAt };
};

const operationOf = (
  what: Pick<Operation, 'operationId' | 'summary'>,
  type: string,
  filters: ParameterName[],
  examples: Operation['x-example-requests'],
): Operation => ({
  ...what,
  description:
    'Items in `public` without a password, from the moment they are created until they expire or are removed. With `mine` instead what your token owns, in every namespace.',
  tags: ['Gallery'],
  security: OWNER_OPTIONAL,
  parameters: parameters(
    ...(['GallerySearch', ...filters, 'Tag', 'GallerySort', 'Page', 'GallerySize', 'Mine'] as const),
    ...OWNER,
  ),
  responses: {
    '200': ok(
      'A page of the gallery.',
      json('GalleryPage', { page: { items: [sampleOf(type)], total: 1, page: 1, size: 20, pages: 1 } }),
      [['Cache-Control']],
    ),
    ...failures(['VALIDATION_FAILED', 'RATE_LIMITED']),
  },
  'x-example-requests': examples,
});

const LIST_GALLERY = operationOf(
  { operationId: 'listGallery', summary: 'The gallery' },
  'html',
  ['Kind'],
  [
    { summary: 'The newest items', status: 200, needs: 'html' },
    {
      summary: 'A search',
      status: 200,
      needs: 'html',
      query: { q: '"launch notes" or laun', sort: 'views' },
    },
    { summary: 'Stores with a tag', status: 200, needs: 'kv', query: { kind: 'kv', tag: 'launch' } },
    { summary: 'The second page of five', status: 200, query: { page: '2', size: '5' } },
    { summary: 'Your own', status: 200, ...byOwner('html'), query: { mine: 'true' } },
  ],
);

const LIST_PAGES = operationOf(
  { operationId: 'listGalleryPages', summary: 'Pages of the gallery' },
  'html',
  [],
  [{ summary: 'The newest pages', status: 200, needs: 'html' }],
);

const LIST_FILES = operationOf(
  { operationId: 'listGalleryFiles', summary: 'Files of the gallery' },
  'file',
  [],
  [{ summary: 'The files viewed most', status: 200, needs: 'file', query: { sort: 'views' } }],
);

const SHOW_GALLERY: Operation = {
  operationId: 'showGallery',
  summary: 'The gallery for people',
  description:
    'A page that searches as you type, and a form where there are no scripts. It takes what `/api/gallery` takes, but has 24 items on a page unless `size` says otherwise.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('GallerySearch', 'Kind', 'Tag', 'GallerySort', 'Page', 'GalleryCards'),
  responses: {
    '200': ownPage('The page.', 'Gallery · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures(['VALIDATION_FAILED', 'RATE_LIMITED'], { page: true }),
  },
  'x-example-requests': [
    { summary: 'The newest items', status: 200, needs: 'html' },
    { summary: 'A search among files', status: 200, query: { q: 'launch', kind: 'file' } },
  ],
};

/** Public items, for programs and as a page for people (specification 13.1). */
export const galleryRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .get('/api/gallery', ({ context }) => answerGallery(deps, context, null), {
      limit: 'reads',
      detail: documented(LIST_GALLERY),
    })
    .get('/api/gallery/pages', ({ context }) => answerGallery(deps, context, 'html'), {
      limit: 'reads',
      detail: documented(LIST_PAGES),
    })
    .get('/api/gallery/files', ({ context }) => answerGallery(deps, context, 'file'), {
      limit: 'reads',
      detail: documented(LIST_FILES),
    })
    .get('/gallery', ({ context }) => showGallery(deps, context), {
      limit: 'reads',
      detail: documented(SHOW_GALLERY, 'page'),
    });

/** Answers with the part of the gallery that the query asks for. @param only the one kind that an address lists */
export async function answerGallery(
  deps: UploadDependencies,
  context: RequestContext,
  only: Kind | null,
): Promise<Response> {
  const issues = collectIssues();
  const query = parseGalleryQuery(context.query(), only, issues);
  issues.throwIfAny();
  if (isSet(context.query(), 'mine')) return await answerMine(deps, context, query);
  const { gallery } = await readGallery(deps, context, query);
  return Response.json(gallery, { headers: { 'Cache-Control': 'no-cache' } });
}

async function showGallery(deps: UploadDependencies, context: RequestContext): Promise<Response> {
  const issues = collectIssues();
  const view = parseGalleryQuery(context.query(), null, issues, CARDS);
  issues.throwIfAny();
  const { gallery, listed } = await readGallery(deps, context, view);
  const { total, totalIsLowerBound = false, pages } = gallery;
  const items = gallery.items.map((item, index) => {
    const found = listed[index];
    return { ...item, picture: found === undefined ? null : pictureOf(found, deps.config.cookieSecret) };
  });
  const now = new Date(deps.clock.now());
  const { baseUrl, language } = context;
  const shown = galleryPage({ view, items, total, totalIsLowerBound, pages, now, baseUrl, language });
  return servicePage(context, shown, { pictures: PICTURES });
}

/** A page of the gallery, with the views of this moment, and the same items with what only the service's own page shows. */
async function readGallery(
  { bus, cache }: Pick<UploadDependencies, 'bus' | 'cache'>,
  { callContext, baseUrl }: Pick<RequestContext, 'callContext' | 'baseUrl'>,
  { page, size, ...filter }: GalleryQuery,
) {
  const found = await callToRead(
    bus,
    listGallery,
    { ...filter, ...offsetAndLimit({ page, size }) },
    callContext,
  );
  return { gallery: await listPage({ cache, baseUrl }, found, { page, size }), listed: found.items };
}

/** A page of all that the caller's token owns, of every namespace; empty without a token. No cache may keep it. */
async function answerMine(
  { bus, cache }: Pick<UploadDependencies, 'bus' | 'cache'>,
  context: RequestContext,
  { page, size, ...filter }: GalleryQuery,
): Promise<Response> {
  const token = ownerTokenOf(context);
  const query = { ...filter, ...offsetAndLimit({ page, size }) };
  const found =
    token === null
      ? { items: [], total: 0 }
      : await callToRead(
          bus,
          listOwnGallery,
          { ...query, ownerHash: hashOwnerToken(token) },
          context.callContext,
        );
  const mine = await listPage({ cache, baseUrl: context.baseUrl }, found, { page, size });
  return Response.json(mine, { headers: { 'Cache-Control': 'private, no-store' } });
}

async function listPage(
  { cache, baseUrl }: Pick<UploadDependencies, 'cache'> & { baseUrl: string },
  { items, total, totalIsLowerBound }: ReplyOf<typeof listGallery>,
  { page, size }: NumberedPage,
) {
  const views = await currentViews(cache, items);
  const listed = items.map((item, index) => listedInGallery(item, views[index] ?? 0, baseUrl));
  return {
    ...numberedPage(listed, total, { page, size }),
    ...(totalIsLowerBound === true && { totalIsLowerBound }),
  };
}

/** An item of the gallery. One without a title goes by its id. */
function listedInGallery(item: GalleryItem, views: number, baseUrl: string) {
  const { namespace, id, kind, title, tags, sizeBytes, createdAt, expiresAt } = item;
  const { url, shortUrl } = itemLinks(kind, item, baseUrl);
  return {
    namespace,
    id,
    type: kind,
    title: title === '' ? id : title,
    tags,
    url,
    shortUrl,
    sizeBytes,
    views,
    createdAt: instant(createdAt),
    expiresAt: instant(expiresAt),
  };
}
