import { isIP } from 'node:net';
import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as publications from '../../../../shared/contracts/publications.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { canonicalAddress } from '../../http/client.ts';
import { parseKind } from '../../http/parameters.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import { ITEM_ID, NAMESPACE } from '../../items/item-address.ts';
import { currentViews, quarantineField, instant as shownInstant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
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
import { type AdminDependencies, admitted } from './admitted.ts';
import { findingIdSchema, itemState } from './item-visibility.ts';
import { answerList, parseListQuery, parseOneOf } from './list-page.ts';
import { operatorOperation } from './operation.ts';

const PAGE = { default: 50, max: publications.PUBLICATIONS_PER_PAGE, id: null };

const type = Type.Unsafe({ type: 'string', enum: KINDS });
const findingId = Type.Optional(
  findingIdSchema('Of an item in quarantine: names what was found and the content, for a release.'),
);

/** Schemas of items, as the operator sees them. */
export const PUBLICATION_SCHEMAS: Record<string, TSchema> = {
  Publication: answer('An item, and where it came from.', {
    ...NAME,
    url: URLS.url,
    shortUrl: URLS.shortUrl,
    type,
    ...title,
    ...tags,
    ...hasPassword,
    ...sizeBytes,
    ...views,
    ownerId: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The SHA-256 of the owner token, in hex.',
    }),
    clientIp: nullable('string', 'The address of the create; null for items of earlier releases.'),
    userAgent: nullable('string', 'The User-Agent of the create.'),
    state: itemState,
    ...quarantine,
    findingId,
    ...createdAt,
    ...expiresAt,
  }),
  PublicationList: list('Publication', 'Items of all owners, newest first.'),
};

const { url, shortUrl } = listedSample;
const SAMPLE_PUBLICATION = {
  namespace: 'public',
  id: 'Ab3dE6gH9k',
  url,
  shortUrl,
  type: 'html',
  title: 'Launch',
  tags: ['launch'],
  hasPassword: false,
  sizeBytes: 20_480,
  views: 12,
  ownerId: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  clientIp: '192.0.2.1',
  userAgent: 'MyAgent/1.0',
  state: 'live',
  createdAt: SAMPLE.createdAt,
  expiresAt: SAMPLE.expiresAt,
};

const LIST_PUBLICATIONS = operatorOperation({
  operationId: 'listPublications',
  summary: 'All items, and where they came from',
  description:
    'Items of all owners in all namespaces that have not expired, newest first; those with a password and hidden ones, too. Every filter that is given must hold. One in quarantine says why.',
  parameters: [
    'PublicationType',
    'PublicationNamespace',
    'PublicationId',
    'PublicationState',
    'PublicationOwner',
    'PublicationClient',
    'PublicationsLimit',
    'ListOffset',
  ],
  responses: {
    '200': ok('A part of the list.', json('PublicationList', { page: [SAMPLE_PUBLICATION] }), [
      ['Cache-Control', 'X-Total-Count'],
      ['X-Total-Is-Lower-Bound'],
    ]),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    { summary: 'The newest', status: 200, needs: 'html' },
    {
      summary: 'With every filter',
      status: 200,
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
});

/** All items, as the operator sees them (specification 18.7). */
export function publicationRoutes(deps: AdminDependencies) {
  const { bus, cache } = deps;
  return new Elysia().use(admitted(deps)).get(
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
  );
}

function shown(item: publications.Publication, views: number, baseUrl: string) {
  const { namespace, id, kind, code, title, tags, hasPassword, sizeBytes } = item;
  const { ownerId, clientIp, userAgent, state } = item;
  return {
    namespace,
    id,
    url: `${baseUrl}/${namespace}/${id}`,
    shortUrl: `${baseUrl}/s/${code}`,
    type: kind,
    title,
    tags,
    hasPassword,
    sizeBytes,
    views,
    ownerId,
    clientIp,
    userAgent,
    state,
    ...(item.quarantine ? quarantineField({ quarantine: item.quarantine }) : {}),
    ...(item.findingId ? { findingId: item.findingId } : {}),
    createdAt: shownInstant(item.createdAt),
    expiresAt: shownInstant(item.expiresAt),
  };
}

/** The filter of the list of all items (specification 18.7). A blank parameter counts as left out. */
export function parsePublicationFilter(
  query: URLSearchParams,
  issues: ValidationIssues,
): publications.PublicationFilter {
  const text = (name: string): string | null => query.get(name)?.trim() || null;
  const known = (name: string, pattern: RegExp): string | null => {
    const value = text(name);
    if (value === null || pattern.test(value)) return value;
    issues.add(name, `is no ${name} of an item.`);
    return null;
  };
  const state = parseOneOf(query, 'state', publications.ITEM_STATES, issues);
  const ip = text('ip');
  if (ip !== null && isIP(ip) === 0) issues.add('ip', 'must be an IPv4 or IPv6 address.');
  return {
    kind: parseKind(query, issues, 'type'),
    state,
    namespace: known('namespace', NAMESPACE),
    id: known('id', ITEM_ID),
    ownerId: known('owner', /^[0-9a-f]{64}$/i)?.toLowerCase() ?? null,
    clientIp: ip === null || isIP(ip) === 0 ? null : canonicalAddress(ip),
  };
}
