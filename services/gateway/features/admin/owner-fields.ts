import { type TSchema, Type } from '@sinclair/typebox';
import { OWNER_TIERS, OWNERS_WITH_MOST_ITEMS } from '../../../../shared/contracts/owner-admin.ts';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { parseText } from '../../http/parameters.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { schemaRef } from '../../openapi/operation.ts';
import { answer, count, instant, list, nullable, request } from '../../openapi/schema-parts.ts';
import { CHARACTERS } from '../../openapi/text-patterns.ts';
import { NOTE_CHARACTERS } from './review-input.ts';

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
        ...{ minimum: 1, maximum: LIMITS.privilegedTtlDaysMax, examples: [365] },
        description:
          'Days that a privileged owner may give an item, on create and on renewal; never fewer than everybody may. Left out: 365.',
      }),
    ),
    label: optionalText({
      ...{ maxLength: LABEL_CHARACTERS, pattern: CHARACTERS.line },
      description: 'null, or a blank text, clears it.',
    }),
    note: optionalText({
      ...{ maxLength: NOTE_CHARACTERS, pattern: CHARACTERS.storable },
      description: 'null, or a blank text, clears it.',
    }),
  }),
  OwnerTerms: answer('What is noted of an owner.', {
    ownerId,
    tier,
    maxTtlDays: Type.Integer({
      ...{ minimum: 1, maximum: LIMITS.privilegedTtlDaysMax },
      description: 'The longest life that they may give an item.',
    }),
    label,
    note: nullable('string', 'What the operator wrote.'),
  }),
};
