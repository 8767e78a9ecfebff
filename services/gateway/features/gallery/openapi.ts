import { type TSchema, Type } from '@sinclair/typebox';
import { KINDS } from '../../../../shared/items/item.ts';
import { json, ok, redirect, text } from '../../openapi/answers.ts';
import { type HeaderName, headers } from '../../openapi/headers.ts';
import type { Operation, Paths, Responses } from '../../openapi/operation.ts';
import { type ParameterName, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { listedSample, SAMPLE } from '../../openapi/samples.ts';
import {
  answer,
  createdAt,
  expiresAt,
  NAME,
  numberedPage,
  sizeBytes,
  tags,
  text as textOf,
  URLS,
  views,
} from '../../openapi/schema-parts.ts';

const { url, shortUrl } = URLS;

/** Of the gallery. */
export const GALLERY_SCHEMAS: Record<string, TSchema> = {
  GalleryItem: answer('A public item.', {
    ...NAME,
    type: Type.Unsafe({ type: 'string', enum: KINDS, description: "The item's kind." }),
    title: textOf('What the item is called; its id when it has no title.'),
    ...{ ...tags, url, shortUrl, ...sizeBytes, ...views, ...createdAt, ...expiresAt },
  }),
  GalleryPage: numberedPage('GalleryItem', 'Public items that match.'),
};

const item = (type: string) => {
  const { namespace, id, title, tags, url, shortUrl, views, createdAt, expiresAt } = listedSample;
  return { namespace, id, type, title, tags, url, shortUrl, sizeBytes: 20_480, views, createdAt, expiresAt };
};

const gallery = (
  what: Pick<Operation, 'operationId' | 'summary'>,
  type: string,
  filters: ParameterName[],
  examples: Operation['x-example-requests'],
): Operation => ({
  ...what,
  description:
    'Items in `public` without a password, from the moment they are created until they expire or are removed.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('GallerySearch', ...filters, 'Tag', 'GallerySort', 'Page', 'GallerySize'),
  responses: {
    '200': ok(
      'A page of the gallery.',
      json('GalleryPage', { page: { items: [item(type)], total: 1, page: 1, size: 20, pages: 1 } }),
      [['Cache-Control']],
    ),
    ...failures(['VALIDATION_FAILED', 'RATE_LIMITED']),
  },
  'x-example-requests': examples,
});

const all = gallery(
  { operationId: 'listGallery', summary: 'The gallery' },
  'html',
  ['Kind'],
  [
    { summary: 'The newest items', status: 200, needs: 'page' },
    {
      summary: 'A search',
      status: 200,
      needs: 'page',
      query: { q: '"launch notes" or laun', sort: 'views' },
    },
    { summary: 'Stores with a tag', status: 200, needs: 'store', query: { kind: 'kv', tag: 'launch' } },
    { summary: 'The second page of five', status: 200, query: { page: '2', size: '5' } },
  ],
);

const pages = gallery(
  { operationId: 'listGalleryPages', summary: 'Pages of the gallery' },
  'html',
  [],
  [{ summary: 'The newest pages', status: 200, needs: 'page' }],
);

const files = gallery(
  { operationId: 'listGalleryFiles', summary: 'Files of the gallery' },
  'file',
  [],
  [{ summary: 'The files viewed most', status: 200, needs: 'file', query: { sort: 'views' } }],
);

const FIXED: [HeaderName[], HeaderName[]] = [['ETag', 'Cache-Control', 'Vary'], ['Content-Encoding']];

const unchanged = (): Responses => ({
  '304': {
    description: '`If-None-Match` names the current version: you have it.',
    headers: headers(...FIXED),
  },
});

const SITEMAP = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${SAMPLE.url}</loc><lastmod>${SAMPLE.updatedAt}</lastmod></url>
</urlset>
`;

const sitemap: Operation = {
  operationId: 'readSitemap',
  summary: 'The sitemap',
  description:
    'Every public address for search engines; up to a minute old. Where there are more than 50,000 it is an index of files, each one a `part`.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('SitemapPart', 'IfNoneMatch'),
  responses: {
    '200': ok('The file.', text('application/xml', SITEMAP, 'urls'), FIXED),
    '302': redirect('To the host that has this file.'),
    ...unchanged(),
    ...failures(['VALIDATION_FAILED', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'The file that search engines begin with', status: 200 },
    { summary: 'A part', status: 200, query: { part: '1' } },
    { summary: 'A part that is not there', status: 404, query: { part: '1000' } },
  ],
};

const robots: Operation = {
  operationId: 'readRobots',
  summary: 'What crawlers are asked to leave alone',
  description: 'And where the sitemap is.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('IfNoneMatch'),
  responses: {
    '200': ok(
      'The file.',
      text('text/plain', `User-agent: *\nDisallow: /api/\n\nSitemap: ${SAMPLE.host}/sitemap.xml\n`, 'robots'),
      FIXED,
    ),
    '302': redirect('To the host that has this file.'),
    ...unchanged(),
    ...failures([], { local: true }),
  },
  'x-example-requests': [{ summary: 'The file', status: 200 }],
};

/** Specification 13.1 and 19.1. */
export const GALLERY: Paths = {
  '/api/gallery': { get: all },
  '/api/gallery/pages': { get: pages },
  '/api/gallery/files': { get: files },
  '/sitemap.xml': { get: sitemap },
  '/robots.txt': { get: robots },
};
