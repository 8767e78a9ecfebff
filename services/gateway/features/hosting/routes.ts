import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { setDeliveryMode } from '../../../../shared/contracts/hosting.ts';
import type { Kind } from '../../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../../shared/items/item-record.ts';
import { PerchError } from '../../../../shared/perch-error.ts';
import { limited } from '../../admission/limited.ts';
import { FEW_FIELDS, readJsonObject } from '../../admission/read-body.ts';
import { requireOwner } from '../../auth/owner-token.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { admitChange } from '../../items/authorize.ts';
import { findLive, type ItemAddress } from '../../items/find-live-item.ts';
import { hostedItem, hostingFields, parseDeliveryMode } from '../../items/hosting.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import { type Operation, schemaRef, type Tag } from '../../openapi/operation.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures, JSON_BODY_CODES, OWNER_CODES } from '../../openapi/responses.ts';
import { hostingSample, SAMPLE } from '../../openapi/samples.ts';
import { answer, hosting, NAME, request } from '../../openapi/schema-parts.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** Under `#/components/schemas`. */
export const HOSTING_SCHEMAS: Record<string, TSchema> = {
  Hosting: answer('Where an item is served.', { ...NAME, ...hosting }),
  HostingOrEntry: Type.Unsafe({
    oneOf: [schemaRef('Hosting'), schemaRef('Entry')],
    description: 'Where a store is served, or its key of the name `hosting`.',
  }),
  KnownHost: answer('The name is the host of a live item, or of the service.', {
    status: Type.Literal('known'),
  }),
  HostingChange: request('Where an item is to be served.', {
    deliveryMode: Type.Unsafe({ type: 'string', enum: ['path', 'subdomain'], description: 'In any case.' }),
    expectedVersion: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      examples: [1],
      description: 'The `hostingVersion` that you have read.',
    }),
  }),
};

/** A kind of item, as the operations about its hosting name it. */
interface HostedKind {
  kind: Kind;
  path: 'html' | 'files' | 'json' | 'kv' | 'sites';
  tag: Tag;
  /** Name of the kind in operation ids and summaries. */
  name: 'Page' | 'File' | 'Document' | 'Store' | 'Site';
}

const HOSTED_KINDS: HostedKind[] = [
  { kind: 'html', path: 'html', tag: 'Pages', name: 'Page' },
  { kind: 'file', path: 'files', tag: 'Files', name: 'File' },
  { kind: 'json', path: 'json', tag: 'JSON', name: 'Document' },
  { kind: 'kv', path: 'kv', tag: 'KV', name: 'Store' },
  { kind: 'site', path: 'sites', tag: 'Sites', name: 'Site' },
];

const EXAMPLE = { hosting: { ...SAMPLE.name, ...hostingSample } };

const readHosting = ({ kind, tag, name }: HostedKind): Operation => ({
  operationId: `read${name}Hosting`,
  summary: `Where a ${name.toLowerCase()} is served`,
  description: `At its path, or on a host of its own, and what was asked for.${kind === 'kv' ? ' A store with a key `hosting` answers with that key, as `readKey` does.' : ''}`,
  tags: [tag],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER),
  responses: {
    '200': ok('For its owner alone.', json(kind === 'kv' ? 'HostingOrEntry' : 'Hosting', EXAMPLE), [
      ['Cache-Control'],
      kind === 'kv' ? ['ETag', 'Last-Modified', 'X-Accel-Buffering'] : [],
    ]),
    ...failures([
      'OWNER_TOKEN_REQUIRED',
      'OWNER_TOKEN_WRONG',
      'PASSWORD_REQUIRED',
      'NOT_FOUND',
      'QUARANTINED',
      'RATE_LIMITED',
    ]),
  },
  'x-example-requests': [{ summary: `A ${name.toLowerCase()}`, status: 200, ...byOwner(kind) }],
});

const changeHosting = ({ kind, tag, name }: HostedKind): Operation => ({
  operationId: `change${name}Hosting`,
  summary: `Change where a ${name.toLowerCase()} is served`,
  description:
    'Takes effect at once: the other address leads there from then on. The label of its own host stays, also while the item is served at its path. `expectedVersion` has to be the `hostingVersion` in force.',
  tags: [tag],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER),
  requestBody: {
    required: true,
    content: json('HostingChange', { path: { deliveryMode: 'path', expectedVersion: 1 } }),
  },
  responses: {
    '200': ok(
      'It is served there now.',
      json('Hosting', {
        changed: { ...SAMPLE.name, ...hostingSample, requestedDeliveryMode: 'path', hostingVersion: 2 },
      }),
      [['Cache-Control']],
    ),
    ...failures([...JSON_BODY_CODES, ...OWNER_CODES, 'QUARANTINED', 'HOSTING_CHANGED']),
  },
  'x-example-requests': [
    {
      summary: 'At its path',
      status: 200,
      ...byOwner(kind),
      body: { type: 'application/json', example: 'path' },
    },
  ],
});

/** Answers with a key of a store. */
type ReadKey = (context: RequestContext, address: ItemAddress & { key: string }) => Promise<Response>;

/** Where the items of each kind are served (specification 3.6). Of a site that is said when it is made. */
export function hostingRoutes(deps: UploadDependencies, readKey: ReadKey) {
  const app = new Elysia().use(limited(deps));
  for (const hosted of HOSTED_KINDS) {
    const { kind, path } = hosted;
    app.get(
      `/api/${path}/:ns/:id/hosting`,
      async ({ context, params }) =>
        (kind === 'kv' ? await keyOfThatName(readKey, context, params) : null) ??
        (await answerHosting(deps, context, kind, params)),
      { limit: 'reads', detail: documented(readHosting(hosted)) },
    );
    if (kind === 'site') continue;
    app.patch(
      `/api/${path}/:ns/:id/hosting`,
      ({ context, params }) => answerChange(deps, context, kind, params),
      { parse: 'none', detail: documented(changeHosting(hosted)) },
    );
  }
  return app;
}

/** The key `hosting` of a store, which goes before; `null` when the store has none, or is none. */
async function keyOfThatName(
  readKey: ReadKey,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response | null> {
  try {
    return await readKey(context, { ...address, key: 'hosting' });
  } catch (error) {
    if (error instanceof PerchError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}

async function answerHosting(
  deps: UploadDependencies,
  context: RequestContext,
  kind: Kind,
  address: ItemAddress,
): Promise<Response> {
  const { record } = await findLive(deps, context, kind, address);
  requireOwner(context, record);
  return forOwner(deps, context, record);
}

async function answerChange(
  deps: UploadDependencies,
  context: RequestContext,
  kind: Kind,
  address: ItemAddress,
): Promise<Response> {
  const { owned } = await admitChange(deps, context, kind, address);
  const fields = await readJsonObject(context, FEW_FIELDS, deps.budget);
  const issues = collectIssues();
  const deliveryMode = parseDeliveryMode(fields.deliveryMode, 'deliveryMode', issues);
  const { expectedVersion } = fields;
  if (!Number.isSafeInteger(expectedVersion) || Number(expectedVersion) < 1)
    issues.add('expectedVersion', 'must be the hostingVersion that you have read.');
  if (deliveryMode === null) issues.add('deliveryMode', 'must be "path" or "subdomain".');
  issues.throwIfAny();
  const mode = deliveryMode ?? 'path';
  const labelled = deps.itemHosts.modeOf(context, { deliveryMode: mode }) === 'subdomain';
  const input = { ...owned, kind, deliveryMode: mode, expectedVersion: Number(expectedVersion), labelled };
  const { record } = await call(deps.bus, setDeliveryMode, input, context.callContext);
  return forOwner(deps, context, record);
}

function forOwner(deps: UploadDependencies, context: RequestContext, record: LiveItemRecord): Response {
  const { namespace, id } = record;
  const fields = { namespace, id, ...hostingFields(deps, context, hostedItem(record)) };
  return Response.json(fields, { headers: { 'Cache-Control': 'private, no-store' } });
}
