import { type TSchema, Type } from '@sinclair/typebox';
import { KINDS } from '../../../../shared/items/item.ts';
import { json, ok } from '../../openapi/answers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { type ParameterName, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { listedSample } from '../../openapi/samples.ts';
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

export const all = gallery(
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

export const pages = gallery(
  { operationId: 'listGalleryPages', summary: 'Pages of the gallery' },
  'html',
  [],
  [{ summary: 'The newest pages', status: 200, needs: 'page' }],
);

export const files = gallery(
  { operationId: 'listGalleryFiles', summary: 'Files of the gallery' },
  'file',
  [],
  [{ summary: 'The files viewed most', status: 200, needs: 'file', query: { sort: 'views' } }],
);
