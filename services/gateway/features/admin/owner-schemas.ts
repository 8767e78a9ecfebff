import { type TSchema, Type } from '@sinclair/typebox';
import { OWNER_TIERS, OWNERS_WITH_MOST_ITEMS } from '../../../../shared/contracts/owner-admin.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { schemaRef } from '../../openapi/operation.ts';
import { answer, count, instant, list, nullable, request } from '../../openapi/schema-parts.ts';
import { CHARACTERS } from '../../openapi/text-patterns.ts';
import { LABEL_CHARACTERS } from './owner-id.ts';

export const NOTE_CHARACTERS = 5_000;

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
