import { Elysia } from 'elysia';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import { OWNER_TIERS, type setOwnerTerms } from '../../../../shared/contracts/owner-admin.ts';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { readOptionalJsonObject } from '../../admission/read-body.ts';
import { parseText } from '../../http/parameters.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN, parameters } from '../../openapi/parameters.ts';
import { ADMIN_CODES, failures } from '../../openapi/responses.ts';
import { ADMIN_HEADERS, type AdminDependencies, admitted, FOR_OPERATOR, NO_STORE } from './admitted.ts';
import { createOperatorActions } from './operator-actions.ts';
import { LABEL_CHARACTERS, ownerNamed } from './owner-fields.ts';
import { parseNote } from './review-input.ts';

/** Room for the longest note with every character escaped. */
const TERMS_BYTES = 131_072;

/** Days that a privileged owner may give an item when the operator names none. */
const USUAL_PRIVILEGE_DAYS = 365;

const SAMPLE_TERMS = {
  ownerId: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ...{ tier: 'PRIVILEGED', maxTtlDays: 365, label: 'Docs team', note: 'Asked for by mail.' },
};

const codes = ['NOT_FOUND', ...ADMIN_CODES] as const;

const PROMOTE_OWNER: Operation = {
  operationId: 'promoteOwner',
  summary: 'Let an owner keep items longer',
  description:
    'Everybody may give an item 1 to 30 days. A privileged owner may give up to `maxTtlDays`, on create and on renewal, at once on every gateway. Items keep the life that they have. An owner is known once they have had an item.',
  ...FOR_OPERATOR,
  parameters: parameters('OwnerId', ...ADMIN),
  requestBody: {
    required: false,
    content: json('OwnerPromotion', {
      year: { tier: 'PRIVILEGED', maxTtlDays: 365, label: 'Docs team', note: 'Asked for by mail.' },
      label: { tier: 'DEFAULT', label: 'Somebody to watch' },
    }),
  },
  responses: {
    '200': ok('What holds now.', json('OwnerTerms', { privileged: SAMPLE_TERMS }), [['Cache-Control']]),
    ...failures([...codes, 'VALIDATION_FAILED', 'JSON_INVALID', 'UNSUPPORTED_MEDIA_TYPE']),
  },
  'x-example-requests': [
    {
      ...{ summary: 'A year', status: 200, needs: 'page', headers: ADMIN_HEADERS },
      body: { type: 'application/json', example: 'year' },
    },
    { summary: 'What is no id', status: 404, headers: ADMIN_HEADERS, path: { ownerId: 'nobody' } },
  ],
};

const DEMOTE_OWNER: Operation = {
  operationId: 'demoteOwner',
  summary: 'End the privileges of an owner',
  description:
    'What holds for everybody holds for them again. Label and note stay. Doing it twice changes nothing more.',
  ...FOR_OPERATOR,
  parameters: parameters('OwnerId', ...ADMIN),
  responses: {
    '200': ok(
      'What holds now.',
      json('OwnerTerms', { plain: { ...SAMPLE_TERMS, tier: 'DEFAULT', maxTtlDays: LIMITS.ttlDaysMax } }),
      [['Cache-Control']],
    ),
    ...failures(codes),
  },
  'x-example-requests': [
    { summary: 'An owner', status: 200, needs: 'page', headers: ADMIN_HEADERS },
    { summary: 'What is no id', status: 404, headers: ADMIN_HEADERS, path: { ownerId: 'nobody' } },
  ],
};

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
        const tooLarge = () =>
          errors.validationFailed([{ field: 'body', message: 'is too long for a note.' }]);
        const fields = await readOptionalJsonObject(context, { bytes: TERMS_BYTES, tooLarge }, budget);
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
  if (tier !== asked) issues.add('VALIDATION_FAILED', 'tier', `must be one of ${OWNER_TIERS.join(', ')}.`);
  const days = fields.maxTtlDays ?? USUAL_PRIVILEGE_DAYS;
  const isDays =
    typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= LIMITS.privilegedTtlDaysMax;
  if (!isDays) {
    const message = `must be a whole number from 1 to ${LIMITS.privilegedTtlDaysMax}.`;
    issues.add('VALIDATION_FAILED', 'maxTtlDays', message);
  }
  const label = parseText(fields.label, 'label', LABEL_CHARACTERS, issues);
  const note = parseNote(fields.note, 'note', issues);
  issues.throwIfAny();
  return {
    ...{ tier, maxTtlDays: tier === 'PRIVILEGED' && isDays ? days : LIMITS.ttlDaysMax },
    ...(fields.label === undefined ? {} : { label }),
    ...(fields.note === undefined ? {} : { note }),
  };
}
