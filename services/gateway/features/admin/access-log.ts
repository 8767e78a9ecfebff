import { isIP } from 'node:net';
import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import {
  ACCESS_ENTRIES_PER_REPLY,
  type AccessEntry,
  type AccessFilter,
  listAccess,
  PATH_CHARACTERS,
  USER_AGENT_CHARACTERS,
} from '../../../../shared/contracts/access-log.ts';
import { call } from '../../../../shared/contracts/call.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { canonicalAddress } from '../../http/client.ts';
import { parseInstant, parseText } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import { ITEM_ID, NAMESPACE } from '../../items/item-address.ts';
import { instant as shownInstant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, instant, list, nullable, text } from '../../openapi/schema-parts.ts';
import { type AdminDependencies, admitted } from './admitted.ts';
import { answerList, type ListPage, parseListQuery } from './list-page.ts';
import { operatorOperation } from './operation.ts';

/** The ids of entries are numbers. */
const PAGE = { default: 100, max: 1_000, id: /^\d{1,15}$/ };

/** Schemas of the access log, as the operator sees it. */
export const ACCESS_LOG_SCHEMAS: Record<string, TSchema> = {
  AccessEntry: answer('An answered request, or several of one client with the same status.', {
    id: Type.Integer({ minimum: 1 }),
    requestId: text('As in X-Request-Id of its answer.'),
    clientIp: text('The address that it came from; `*` for many.'),
    userAgent: nullable('string', 'What the client called itself.'),
    method: text('As it was sent.'),
    path: text('As it was sent, percent-encoded; `*` where several differ.'),
    query: text('Without the question mark; secrets are `***`.'),
    status: Type.Integer({ minimum: 100, maximum: 599 }),
    durationMs: Type.Number({
      minimum: 0,
      description: 'From its arrival to its answer; of several the mean.',
    }),
    requests: Type.Integer({ minimum: 1, description: 'How many requests it stands for.' }),
    referer: nullable('string', 'Where it came from, secrets masked.'),
    resourceType: Type.Unsafe({
      enum: [...KINDS, null],
      description: 'Kind of the item that it met; null when it met none.',
    }),
    resourceNamespace: nullable('string', "The item's namespace."),
    resourceId: nullable('string', "The item's id."),
    createdAt: instant('When it happened.'),
  }),
  AccessEntryList: list('AccessEntry', 'Entries of the access log, newest first.'),
};

const SAMPLE_ENTRY = {
  id: 4711,
  requestId: 'V1StGXR8_Z5jdHi6',
  clientIp: '192.0.2.1',
  userAgent: 'MyAgent/1.0',
  method: 'GET',
  path: '/public/Ab3dE6gH9k',
  query: 'p=***',
  status: 200,
  durationMs: 1.27,
  requests: 1,
  referer: 'https://example.com/',
  resourceType: 'html',
  resourceNamespace: 'public',
  resourceId: 'Ab3dE6gH9k',
  createdAt: SAMPLE.createdAt,
};

const OPERATION = operatorOperation({
  operationId: 'listAccess',
  summary: 'The access log',
  description:
    'Answered requests, newest first, but for those of static assets; kept for 30 days unless this server has another retention. Every filter that is given must hold. An entry appears within a second or so of its answer. The `Link` of an answer goes on behind its last entry, whatever is added meanwhile. `ua`, and an id without a namespace, have no index: give `from` with them when the log is large. With `resource`, `ip` is passed over.',
  parameters: [
    'LogIp',
    'LogMethod',
    'LogStatus',
    'LogPath',
    'LogResource',
    'LogUserAgent',
    'LogFrom',
    'LogTo',
    'LogLimit',
    'ListOffset',
    'ListCursor',
  ],
  responses: {
    '200': ok(
      'A part of the log. `X-Total-Count` counts requests, as an entry may stand for several.',
      json('AccessEntryList', { page: [SAMPLE_ENTRY] }),
      [
        ['Cache-Control', 'X-Total-Count'],
        ['X-Total-Is-Lower-Bound', 'Link'],
      ],
    ),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    { summary: 'The newest', status: 200 },
    {
      summary: 'With every filter',
      status: 200,
      query: {
        ip: '192.0.2.1',
        method: 'GET',
        status: '4xx',
        path: '/public/',
        resource: 'public/Ab3dE6gH9k',
        ua: 'MyAgent',
        from: '2026-11-21',
        to: '2026-11-22T00:00:00Z',
        limit: '10',
        offset: '20',
      },
    },
    { summary: 'Without the password', status: 401 },
  ],
});

/** The access log as the operator reads it (specification 18.3). */
export function accessLogRoutes(deps: AdminDependencies) {
  return new Elysia().use(admitted(deps)).get(
    '/api/admin/access',
    async ({ context }) => {
      const { page, filter } = parseListQuery(context.query(), PAGE, parseAccessFilter);
      const { items, more, total } = await collect(deps, context, filter, page);
      const last = more ? items.at(-1) : undefined;
      const after = last === undefined ? null : { createdAt: last.createdAt, id: String(last.id) };
      return answerList(items.map(shownEntry), total, { context, after });
    },
    { detail: documented(OPERATION, 'operator') },
  );
}

/** A page, in as many messages as it needs. */
async function collect(
  { bus }: AdminDependencies,
  { callContext }: RequestContext,
  filter: AccessFilter,
  { limit, offset, after }: ListPage,
) {
  const items: AccessEntry[] = [];
  let total = { count: 0, isLowerBound: false };
  for (;;) {
    const first = items.length === 0;
    const part = await call(
      bus,
      listAccess,
      {
        filter,
        after: items.at(-1) ?? (after === null ? null : { ...after, id: Number(after.id) }),
        offset: first ? offset : 0,
        limit: Math.min(ACCESS_ENTRIES_PER_REPLY, limit - items.length),
        counted: first,
      },
      callContext,
    );
    items.push(...part.items);
    total = part.total ?? total;
    if (!part.more || items.length >= limit) return { items, more: part.more, total };
  }
}

function shownEntry({ createdAt, ...entry }: AccessEntry) {
  const { id, requestId, clientIp, userAgent, method, path, query, status, durationMs, requests } = entry;
  const { referer, resourceType, resourceNamespace, resourceId } = entry;
  return {
    id,
    requestId,
    clientIp,
    userAgent,
    method,
    path,
    query,
    status,
    durationMs,
    requests,
    referer,
    resourceType,
    resourceNamespace,
    resourceId,
    createdAt: shownInstant(createdAt),
  };
}

/** Parses the filter of the access log from a query (specification 18.3). A blank parameter counts as left out. */
export function parseAccessFilter(query: URLSearchParams, issues: ValidationIssues): AccessFilter {
  const refuse = (field: string, message: string): null => {
    issues.add(field, message);
    return null;
  };
  const asked = (name: string): string | null => query.get(name)?.trim() || null;

  const ip = asked('ip');
  const address = ip === null ? null : parseAddress(ip, refuse);
  const method = asked('method')?.toUpperCase() ?? null;
  const resource = parseResource(asked('resource'), refuse);
  const from = parseInstant(query, 'from', issues);
  const to = parseInstant(query, 'to', issues);
  if (from !== null && to !== null && to < from) refuse('to', 'must not be before "from".');
  return {
    // With `resource` the address is ignored, but it has to be valid.
    clientIp: resource === null ? address : null,
    method:
      method === null || /^[A-Z-]{1,20}$/.test(method)
        ? method
        : refuse('method', 'must be the name of a method, such as GET.'),
    ...parseStatus(asked('status'), refuse),
    pathPrefix: parsePath(query.get('path'), issues, refuse),
    resource,
    userAgent: parseText(query.get('ua'), 'ua', USER_AGENT_CHARACTERS, issues),
    from,
    to,
  };
}

type Refuse = (field: string, message: string) => null;

/** The log has addresses in their canonical form, however they were spelled. */
function parseAddress(text: string, refuse: Refuse): string | null {
  return isIP(text) !== 0 ? canonicalAddress(text) : refuse('ip', 'must be an IPv4 or IPv6 address.');
}

function parseStatus(text: string | null, refuse: Refuse): Pick<AccessFilter, 'status' | 'statusClass'> {
  const none = { status: null, statusClass: null };
  if (text === null) return none;
  if (/^[1-5]\d\d$/.test(text)) return { ...none, status: Number(text) };
  if (/^[1-5]xx$/i.test(text)) return { ...none, statusClass: Number(text[0]) };
  refuse('status', 'must be a status such as 404, or a class of them such as 4xx.');
  return none;
}

function parsePath(value: string | null, issues: ValidationIssues, refuse: Refuse): string | null {
  const path = parseText(value, 'path', PATH_CHARACTERS, issues);
  if (path === null || path.startsWith('/')) return path === null ? null : asLogged(path);
  return refuse('path', 'must begin with a slash: it is the beginning of a path.');
}

/** The log has paths as they were received, percent-encoded; the query decoded it once. */
const asLogged = (path: string): string => path.replace(/[^\u0021-\u007e]|["#<>?`{}]/gu, encodeURIComponent);

function parseResource(text: string | null, refuse: Refuse): AccessFilter['resource'] {
  if (text === null) return null;
  const [name = '', id = null, ...rest] = text.replace(/^\//, '').split('/');
  if (id === null && (NAMESPACE.test(name) || ITEM_ID.test(name))) {
    return { namespace: name, id, isAlsoId: true };
  }
  if (id !== null && NAMESPACE.test(name) && ITEM_ID.test(id) && rest.length === 0) {
    return { namespace: name, id };
  }
  return refuse('resource', 'must be an item as "namespace/id", an id, or a namespace.');
}
