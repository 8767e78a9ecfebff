import { type TSchema, Type } from '@sinclair/typebox';
import { DOMAIN_FINDINGS, DOMAIN_STATES } from '../../../../shared/contracts/domains.ts';
import { CHALLENGE_LABEL, CHALLENGE_PREFIX, DOMAIN_CHARACTERS } from '../../../../shared/domain-names.ts';
import { json, ok, REMOVED } from '../../openapi/answers.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures, JSON_BODY_CODES } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, instant, NAME, request, text } from '../../openapi/schema-parts.ts';

const maybeInstant = (description: string): TSchema =>
  Type.Unsafe({ type: ['string', 'null'], format: 'date-time', description });

/** Under `#/components/schemas`. */
export const DOMAIN_SCHEMAS: Record<string, TSchema> = {
  DomainClaim: request('The domain that an item is to be served at.', {
    domain: Type.String({
      maxLength: DOMAIN_CHARACTERS + 1,
      examples: ['www.example.org'],
      description: 'The name of a host below a public suffix, in any case, in letters of any language.',
    }),
  }),
  Domain: answer('The domain of an item, and what its owner has to do for it.', {
    ...NAME,
    domain: text('As it is looked for: in lower case and punycode.'),
    state: Type.Unsafe({
      type: 'string',
      enum: DOMAIN_STATES,
      description:
        '`pending`: the record was not found yet. `verified`: the record is there. `active`: and the domain leads here. `lost`: the record has gone.',
    }),
    url: Type.String({
      format: 'uri',
      description: 'Where the item is, once the domain is verified and leads here.',
    }),
    record: Type.Object(
      {
        type: Type.Literal('TXT'),
        name: text('Of the record.'),
        value: text('Of the record. It stays the same for this item and domain.'),
      },
      {
        additionalProperties: false,
        description: 'The record that proves that the domain is yours. Keep it.',
      },
    ),
    target: text('The host that the domain has to lead to, by CNAME or by its addresses.'),
    finding: Type.Unsafe({
      type: ['string', 'null'],
      enum: [...DOMAIN_FINDINGS, null],
      description:
        'What name servers said last. `record`: the record is there. `none`: it is not. `held`: it is, and so is that of another item, which has the domain. `failure`: no answer to rely on. null: they were not asked.',
    }),
    claimedAt: instant('When the domain was given.'),
    checkedAt: maybeInstant('When name servers were asked last; null: never.'),
    verifiedAt: maybeInstant('When the record was found first; null: it was not.'),
    lostAt: maybeInstant('Since when the record is missing; null: it is not.'),
    removedAt: maybeInstant('When the domain will be taken away, unless the record comes back.'),
  }),
};

const EXAMPLE = {
  pending: {
    ...SAMPLE.name,
    domain: 'www.example.org',
    state: 'pending',
    url: 'https://www.example.org/',
    record: {
      type: 'TXT',
      name: `${CHALLENGE_LABEL}.www.example.org`,
      value: `${CHALLENGE_PREFIX}V1StGXR8_Z5jdHi6B-myTq3xLw9Kp2Zs`,
    },
    target: 'perch.example',
    finding: null,
    claimedAt: SAMPLE.updatedAt,
    checkedAt: null,
    verifiedAt: null,
    lostAt: null,
    removedAt: null,
  },
};

const CODES = [
  'DOMAINS_DISABLED',
  'OWNER_TOKEN_REQUIRED',
  'OWNER_TOKEN_WRONG',
  'NOT_FOUND',
  'RATE_LIMITED',
] as const;

const COMMON = {
  tags: ['Owner'] as ['Owner'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER),
};

export const SET_DOMAIN: Operation = {
  operationId: 'setDomain',
  summary: 'Serve an item at a domain of your own',
  ...COMMON,
  description:
    'Answers with the TXT record to set. Sent again with the same domain it asks the name servers for the record, at most ten times an hour for an item; else that is done every hour for three days. Another domain takes the place of the one before. In namespaces called `html`, `kv`, `json`, `files` or `sites` this address is that of an item, or key, `domain` of that kind.',
  requestBody: {
    required: true,
    content: json('DomainClaim', { domain: { domain: 'www.example.org' } }),
  },
  responses: {
    '200': ok('The domain as it stands now.', json('Domain', EXAMPLE), [['Cache-Control']]),
    ...failures([...JSON_BODY_CODES, ...CODES, 'CLIENT_BLOCKED', 'DOMAIN_TAKEN', 'LIMIT_REACHED']),
  },
  'x-example-requests': [
    {
      summary: 'For a page',
      status: 200,
      ...byOwner('html'),
      body: { type: 'application/json', example: 'domain' },
    },
  ],
};

export const READ_DOMAIN: Operation = {
  operationId: 'readDomain',
  summary: 'The domain of an item',
  ...COMMON,
  description: 'Asks no name servers. An item without a domain answers 404.',
  responses: {
    '200': ok('For its owner alone.', json('Domain', EXAMPLE), [['Cache-Control']]),
    ...failures(CODES),
  },
  'x-example-requests': [{ summary: 'Of a page', status: 200, ...byOwner('html with a domain') }],
};

export const REMOVE_DOMAIN: Operation = {
  operationId: 'removeDomain',
  summary: 'Take the domain away from an item',
  ...COMMON,
  description: 'Takes effect at once. The item stays where it is otherwise.',
  responses: { '204': REMOVED, ...failures([...CODES, 'CLIENT_BLOCKED']) },
  'x-example-requests': [{ summary: 'Of a page', status: 204, ...byOwner('html with a domain') }],
};
