import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as publications from '../../../../shared/contracts/publications.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { currentViews, quarantineField, instant as shownInstant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, ITEM, parameters } from '../../openapi/parameters.ts';
import { ADMIN_CODES, failures } from '../../openapi/responses.ts';
import { listedSample, SAMPLE } from '../../openapi/samples.ts';
import {
  answer,
  createdAt,
  expiresAt,
  hasPassword,
  list,
  NAME,
  nullable,
  quarantine,
  sizeBytes,
  tags,
  title,
  URLS,
  views,
} from '../../openapi/schema-parts.ts';
import { ADMIN_HEADERS, type AdminDependencies, admitted } from './admitted.ts';
import { findingIdSchema } from './finding-id.ts';
import { answerVisibility } from './item-visibility.ts';
import { answerList, parseListQuery } from './list-page.ts';
import { type Acting, createOperatorActions } from './operator-actions.ts';
import { parsePublicationFilter } from './publication-filter.ts';

const PAGE = { default: 50, max: publications.PUBLICATIONS_PER_PAGE, id: null };

const type = Type.Unsafe({ type: 'string', enum: KINDS });
const state = Type.Unsafe({
  type: 'string',
  enum: publications.ITEM_STATES,
  description: 'Whether it can be read.',
});

const findingId = Type.Optional(
  findingIdSchema('Of an item in quarantine: names what was found and the content, for a release.'),
);

/** Schemas of items, as the operator sees them. */
export const PUBLICATION_SCHEMAS: Record<string, TSchema> = {
  Publication: answer('An item, and where it came from.', {
    ...{ ...NAME, url: URLS.url, shortUrl: URLS.shortUrl, type, ...title, ...tags, ...hasPassword },
    ...{ ...sizeBytes, ...views },
    ownerId: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The SHA-256 of the owner token, in hex.',
    }),
    clientIp: nullable('string', 'The address of the create; null for items of earlier releases.'),
    userAgent: nullable('string', 'The User-Agent of the create.'),
    ...{ state, ...quarantine, findingId, ...createdAt, ...expiresAt },
  }),
  PublicationList: list('Publication', 'Items of all owners, newest first.'),
  ItemVisibility: answer('Whether an item can be read now.', { ...NAME, type, state }),
};

const { url, shortUrl } = listedSample;
const SAMPLE_PUBLICATION = {
  ...{
    namespace: 'public',
    id: 'Ab3dE6gH9k',
    url,
    shortUrl,
    type: 'html',
    title: 'Launch',
    tags: ['launch'],
  },
  ...{ hasPassword: false, sizeBytes: 20_480, views: 12 },
  ownerId: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ...{ clientIp: '192.0.2.1', userAgent: 'MyAgent/1.0', state: 'live' },
  ...{ createdAt: SAMPLE.createdAt, expiresAt: SAMPLE.expiresAt },
};

const LIST_PUBLICATIONS: Operation = {
  operationId: 'listPublications',
  summary: 'All items, and where they came from',
  description:
    'Items of all owners in all namespaces that have not expired, newest first; those with a password and hidden ones, too. Every filter that is given must hold. One in quarantine says why.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(
    ...(['PublicationType', 'PublicationNamespace', 'PublicationId', 'PublicationState'] as const),
    ...(['PublicationOwner', 'PublicationClient', 'PublicationsLimit', 'ListOffset', ...ADMIN] as const),
  ),
  responses: {
    '200': ok('A part of the list.', json('PublicationList', { page: [SAMPLE_PUBLICATION] }), [
      ['Cache-Control', 'X-Total-Count'],
      ['X-Total-Is-Lower-Bound'],
    ]),
    ...failures(['VALIDATION_FAILED', ...ADMIN_CODES]),
  },
  'x-example-requests': [
    { summary: 'The newest', status: 200, needs: 'page', headers: ADMIN_HEADERS },
    {
      ...{ summary: 'With every filter', status: 200, headers: ADMIN_HEADERS },
      query: {
        type: 'html',
        namespace: 'public',
        id: 'Ab3dE6gH9k',
        state: 'hidden',
        owner: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        ip: '192.0.2.1',
        limit: '10',
        offset: '0',
      },
    },
    { summary: 'Without the password', status: 401 },
  ],
};

/** The declarations of hiding and showing. */
const visibility = (
  fields: Pick<Operation, 'operationId' | 'summary' | 'description'>,
  state: string,
): Operation => ({
  ...fields,
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ITEM, ...ADMIN),
  responses: {
    '200': ok(
      'How it is now; also when it was so before.',
      json('ItemVisibility', { [state]: { namespace: 'public', id: 'Ab3dE6gH9k', type: 'html', state } }),
      [['Cache-Control']],
    ),
    ...failures(['NOT_FOUND', ...ADMIN_CODES]),
  },
  'x-example-requests': [
    { summary: 'A page', status: 200, needs: 'page', headers: ADMIN_HEADERS },
    { summary: 'Without the password', status: 401, needs: 'page' },
  ],
});

const HIDE_ITEM = visibility(
  {
    operationId: 'hideItem',
    summary: 'Hide an item',
    description:
      'It is answered like a removed one, 410 in `public` and 404 elsewhere, and listed nowhere, on every gateway at once. Its owner reads, corrects and removes it by its address in the API. Caches of others may keep a file for an hour.',
  },
  'hidden',
);
const SHOW_ITEM = visibility(
  {
    operationId: 'showItem',
    summary: 'Show a hidden item again',
    description: 'It comes back at its address with its content, views and end of life.',
  },
  'live',
);

/** All items, as the operator sees, hides and shows them (specification 18.7). */
export function publicationRoutes(deps: AdminDependencies) {
  const { bus, cache } = deps;
  const actions = createOperatorActions(deps);
  const setHidden = async (acting: Acting, address: { ns: string; id: string }, hidden: boolean) => {
    const item = itemNamed(address);
    const { kind, quarantined } = await actions.setHidden(acting, item, hidden);
    return answerVisibility(item, { kind, hidden, quarantined });
  };
  return new Elysia()
    .use(admitted(deps))
    .get(
      '/api/admin/publications',
      async ({ context }) => {
        const { page, filter } = parseListQuery(context.query(), PAGE, parsePublicationFilter);
        const input = { filter, offset: page.offset, limit: page.limit };
        const found = await call(bus, publications.listPublications, input, context.callContext);
        const counted = await currentViews(cache, found.publications);
        const shaped = found.publications.map((item, index) =>
          shown(item, counted[index] ?? 0, context.baseUrl),
        );
        return answerList(shaped, found.total);
      },
      { detail: documented(LIST_PUBLICATIONS, 'operator') },
    )
    .post(
      '/api/admin/items/:ns/:id/hide',
      ({ context, operator, params }) => setHidden({ context, operator }, params, true),
      {
        parse: 'none',
        detail: documented(HIDE_ITEM, 'operator'),
      },
    )
    .post(
      '/api/admin/items/:ns/:id/show',
      ({ context, operator, params }) => setHidden({ context, operator }, params, false),
      {
        parse: 'none',
        detail: documented(SHOW_ITEM, 'operator'),
      },
    );
}

function shown(item: publications.Publication, views: number, baseUrl: string) {
  const { namespace, id, kind, code, title, tags, hasPassword, sizeBytes } = item;
  const { ownerId, clientIp, userAgent, state } = item;
  return {
    ...{ namespace, id, url: `${baseUrl}/${namespace}/${id}`, shortUrl: `${baseUrl}/s/${code}`, type: kind },
    ...{ title, tags, hasPassword, sizeBytes, views, ownerId, clientIp, userAgent, state },
    ...(item.quarantine ? quarantineField({ quarantine: item.quarantine }) : {}),
    ...(item.findingId ? { findingId: item.findingId } : {}),
    ...{ createdAt: shownInstant(item.createdAt), expiresAt: shownInstant(item.expiresAt) },
  };
}
