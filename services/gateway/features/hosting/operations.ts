import { type TSchema, Type } from '@sinclair/typebox';
import type { Kind } from '../../../../shared/items/item.ts';
import { json, ok } from '../../openapi/answers.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import { type Need, type Operation, schemaRef, type Tag } from '../../openapi/operation.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { hostingSample, SAMPLE } from '../../openapi/samples.ts';
import { answer, hosting, NAME, request } from '../../openapi/schema-parts.ts';

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
      examples: [1],
      description: 'The `hostingVersion` that you have read.',
    }),
  }),
};

/** A kind of item, as the operations about its hosting name it. */
export interface HostedKind {
  kind: Kind;
  path: 'html' | 'files' | 'json' | 'kv' | 'sites';
  tag: Tag;
  needs: Need;
  /** In operation ids and summaries. */
  name: 'Page' | 'File' | 'Document' | 'Store' | 'Site';
}

export const HOSTED_KINDS: HostedKind[] = [
  { kind: 'html', path: 'html', tag: 'Pages', needs: 'page', name: 'Page' },
  { kind: 'file', path: 'files', tag: 'Files', needs: 'file', name: 'File' },
  { kind: 'json', path: 'json', tag: 'JSON', needs: 'document', name: 'Document' },
  { kind: 'kv', path: 'kv', tag: 'KV', needs: 'store', name: 'Store' },
  { kind: 'site', path: 'sites', tag: 'Sites', needs: 'site', name: 'Site' },
];

const EXAMPLE = { hosting: { ...SAMPLE.name, ...hostingSample } };

export const readHosting = ({ kind, tag, needs, name }: HostedKind): Operation => ({
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
  'x-example-requests': [{ summary: `A ${needs}`, status: 200, ...byOwner(needs) }],
});

export const changeHosting = ({ tag, needs, name }: HostedKind): Operation => ({
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
    ...failures([
      ...(['VALIDATION_FAILED', 'JSON_INVALID', 'UNSUPPORTED_MEDIA_TYPE', 'CLIENT_BLOCKED'] as const),
      ...([
        'OWNER_TOKEN_REQUIRED',
        'OWNER_TOKEN_WRONG',
        'NOT_FOUND',
        'QUARANTINED',
        'HOSTING_CHANGED',
      ] as const),
      'RATE_LIMITED',
    ]),
  },
  'x-example-requests': [
    {
      ...{ summary: 'At its path', status: 200, ...byOwner(needs) },
      body: { type: 'application/json', example: 'path' },
    },
  ],
});
