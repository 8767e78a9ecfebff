import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import {
  OWNER_TIERS,
  OWNERS_WITH_MOST_ITEMS,
  type setOwnerTerms,
} from '../../../../shared/contracts/owner-admin.ts';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { bodyUpTo, readOptionalJsonObject } from '../../admission/read-body.ts';
import { parseText } from '../../http/parameters.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';
import { json, ok } from '../../openapi/answers.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { documented } from '../../openapi/documented.ts';
import { schemaRef } from '../../openapi/operation.ts';
import { JSON_BODY_CODES } from '../../openapi/responses.ts';
import { answer, count, instant, list, nullable, request } from '../../openapi/schema-parts.ts';
import { CHARACTERS } from '../../openapi/text-patterns.ts';
import { type AdminDependencies, admitted, NO_STORE } from './admitted.ts';
import { operatorOperation } from './operation.ts';
import { createOperatorActions } from './operator-actions.ts';
import { NOTE_CHARACTERS, parseNote } from './review-input.ts';

export const LABEL_CHARACTERS = 100;

/** The owner that a path names. @throws NOT_FOUND when no owner can have that id */
export function ownerNamed(ownerId: string): string {
  const id = ownerId.toLowerCase();
  if (/^[0-9a-f]{64}$/.test(id)) return id;
  throw errors.ownerNotFound(ownerId);
}

/** The beginning of an id or label that a list of owners asks for; `null` for none. */
export const parseOwnerSearch = (query: URLSearchParams, issues: ValidationIssues): string | null =>
  parseText(query.get('search'), 'search', LABEL_CHARACTERS, issues);

const ownerId = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'The SHA-256 of the owner token, in hex.',
});
const tier = Type.Unsafe({ type: 'string', enum: OWNER_TIERS, description: 'Rights of the owner.' });
const label = nullable('string', "The operator's name for the owner.");

/** Schemas of owners, as the operator sees them. */
export const OWNER_ADMIN_SCHEMAS: Record<string, TSchema> = {
  OwnerInfo: answer('An owner, and how many items they have now.', {
    ownerId,
    htmlCount: count('Pages.'),
    kvStoreCount: count('Stores.'),
    jsonCount: count('JSON documents.'),
    fileCount: count('Files.'),
    siteCount: count('Sites.'),
    storedBytes: count('Bytes of their content.'),
    firstSeen: instant('When the oldest item was created that is known of.'),
    tier,
    label,
  }),
  OwnerInfoList: list('OwnerInfo', 'Owners, those with most items first.'),
  Inventory: answer('Items there are now.', {
    totalHtml: count('Pages.'),
    totalKvEntries: count('Keys of all stores.'),
    totalJsonDocs: count('JSON documents.'),
    totalFiles: count('Files.'),
    totalSites: count('Sites.'),
    uniqueOwners: count('Owners who have items.'),
    ownersWithCounts: Type.Array(schemaRef('OwnerInfo'), {
      maxItems: OWNERS_WITH_MOST_ITEMS,
      description: 'Those with most items.',
    }),
  }),
  OwnerToResolve: request('An owner token.', {
    token: Type.String({ minLength: 1, maxLength: 512, pattern: '\\S' }),
  }),
  OwnerResolved: answer('Whose token it is.', { ownerId }),
  OwnerPromotion: request('New terms of an owner; what is left out of `label` and `note` stays.', {
    tier: Type.Optional(
      Type.Unsafe({
        enum: [...OWNER_TIERS, null],
        description: 'Left out: PRIVILEGED.',
        examples: ['PRIVILEGED'],
      }),
    ),
    maxTtlDays: Type.Optional(
      Type.Unsafe({
        type: ['integer', 'null'],
        minimum: 1,
        maximum: LIMITS.privilegedTtlDaysMax,
        examples: [365],
        description:
          'Days that a privileged owner may give an item, on create and on renewal; never fewer than everybody may. Left out: 365.',
      }),
    ),
    label: optionalText({
      maxLength: LABEL_CHARACTERS,
      pattern: CHARACTERS.line,
      description: 'null, or a blank text, clears it.',
    }),
    note: optionalText({
      maxLength: NOTE_CHARACTERS,
      pattern: CHARACTERS.storable,
      description: 'null, or a blank text, clears it.',
    }),
  }),
  OwnerTerms: answer('What is noted of an owner.', {
    ownerId,
    tier,
    maxTtlDays: Type.Integer({
      minimum: 1,
      maximum: LIMITS.privilegedTtlDaysMax,
      description: 'The longest life that they may give an item.',
    }),
    label,
    note: nullable('string', 'What the operator wrote.'),
  }),
};

/** Room for the longest note with every character escaped. */
const TERMS_LIMIT = bodyUpTo(131_072);

/** Days that a privileged owner may give an item when the operator names none. */
export const USUAL_PRIVILEGE_DAYS = 365;

const SAMPLE_TERMS = {
  ownerId: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  tier: 'PRIVILEGED',
  maxTtlDays: 365,
  label: 'Docs team',
  note: 'Asked for by mail.',
};

const PROMOTE_OWNER = operatorOperation({
  operationId: 'promoteOwner',
  summary: 'Let an owner keep items longer',
  description:
    'Everybody may give an item 1 to 30 days. A privileged owner may give up to `maxTtlDays`, on create and on renewal, at once on every gateway. Items keep the life that they have. An owner is known once they have had an item.',
  parameters: ['OwnerId'],
  requestBody: {
    required: false,
    content: json('OwnerPromotion', {
      year: { tier: 'PRIVILEGED', maxTtlDays: 365, label: 'Docs team', note: 'Asked for by mail.' },
      label: { tier: 'DEFAULT', label: 'Somebody to watch' },
    }),
  },
  responses: {
    '200': ok('What holds now.', json('OwnerTerms', { privileged: SAMPLE_TERMS }), [['Cache-Control']]),
  },
  errors: [...JSON_BODY_CODES, 'NOT_FOUND'],
  'x-example-requests': [
    {
      summary: 'A year',
      status: 200,
      needs: 'html',
      body: { type: 'application/json', example: 'year' },
    },
    { summary: 'What is no id', status: 404, path: { ownerId: 'nobody' } },
  ],
});

const DEMOTE_OWNER = operatorOperation({
  operationId: 'demoteOwner',
  summary: 'End the privileges of an owner',
  description:
    'What holds for everybody holds for them again. Label and note stay. Doing it twice changes nothing more.',
  parameters: ['OwnerId'],
  responses: {
    '200': ok(
      'What holds now.',
      json('OwnerTerms', { plain: { ...SAMPLE_TERMS, tier: 'DEFAULT', maxTtlDays: LIMITS.ttlDaysMax } }),
      [['Cache-Control']],
    ),
  },
  errors: ['NOT_FOUND'],
  'x-example-requests': [
    { summary: 'An owner', status: 200, needs: 'html' },
    { summary: 'What is no id', status: 404, path: { ownerId: 'nobody' } },
  ],
});

/** The terms of owners, as the operator sets them (specification 18.5). */
export function ownerTermsRoutes(deps: AdminDependencies) {
  const { budget } = deps;
  const actions = createOperatorActions(deps);
  return new Elysia({ prefix: '/api/admin/owners/:ownerId' })
    .use(admitted(deps))
    .post(
      '/promote',
      async ({ context, operator, params }) => {
        const ownerId = ownerNamed(params.ownerId);
        const fields = await readOptionalJsonObject(context, TERMS_LIMIT, budget);
        const terms = { ownerId, ...parseTerms(fields) };
        return Response.json(await actions.setTerms({ context, operator }, terms), { headers: NO_STORE });
      },
      { parse: 'none', detail: documented(PROMOTE_OWNER, 'operator') },
    )
    .post(
      '/demote',
      async ({ context, operator, params }) => {
        const ownerId = ownerNamed(params.ownerId);
        const terms = { ownerId, tier: 'DEFAULT' as const, maxTtlDays: LIMITS.ttlDaysMax };
        return Response.json(await actions.setTerms({ context, operator }, terms), { headers: NO_STORE });
      },
      { parse: 'none', detail: documented(DEMOTE_OWNER, 'operator') },
    );
}

/** @throws VALIDATION_FAILED that names every issue */
export function parseTerms(
  fields: Record<string, unknown>,
): Omit<InputOf<typeof setOwnerTerms>, 'ownerId' | 'actor'> {
  const issues = collectIssues();
  const asked = fields.tier ?? 'PRIVILEGED';
  const tier = OWNER_TIERS.find((known) => known === asked) ?? 'DEFAULT';
  if (tier !== asked) issues.add('tier', `must be one of ${OWNER_TIERS.join(', ')}.`);
  const days = fields.maxTtlDays ?? USUAL_PRIVILEGE_DAYS;
  const isDays =
    typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= LIMITS.privilegedTtlDaysMax;
  if (!isDays) {
    const message = `must be a whole number from 1 to ${LIMITS.privilegedTtlDaysMax}.`;
    issues.add('maxTtlDays', message);
  }
  const label = parseText(fields.label, 'label', LABEL_CHARACTERS, issues);
  const note = parseNote(fields.note, 'note', issues);
  issues.throwIfAny();
  return {
    tier,
    maxTtlDays: tier === 'PRIVILEGED' && isDays ? days : LIMITS.ttlDaysMax,
    ...(fields.label === undefined ? {} : { label }),
    ...(fields.note === undefined ? {} : { note }),
  };
}
