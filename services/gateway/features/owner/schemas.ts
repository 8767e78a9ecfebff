import { type TSchema, Type } from '@sinclair/typebox';
import { KINDS, LIMITS } from '../../../../shared/items/item.ts';
import { DAYS_IN_BODY } from '../../openapi/create-fields.ts';
import {
  answer,
  createdAt,
  expiresAt,
  hasPassword,
  NAME,
  numberedPage,
  request,
  sizeBytes,
  tags,
  title,
  ttlDays,
  URLS,
  updatedAt,
  views,
} from '../../openapi/schema-parts.ts';

/** What one of the five kinds is called. */
const kindName = (description: string): TSchema => Type.Unsafe({ type: 'string', enum: KINDS, description });

/** Of owners, of what an owner can do with an item of any kind, and of namespaces. */
export const OWNER_SCHEMAS: Record<string, TSchema> = {
  OwnerToken: answer('A new owner token.', {
    ownerToken: Type.String({
      minLength: LIMITS.ownerTokenMinCharacters,
      description: 'Send it with creates. It cannot be recovered.',
    }),
  }),
  OwnedItem: answer('An item of whatever kind, for its owner.', {
    ...{ ...NAME, type: kindName("The item's kind."), ...title, ...URLS, ...sizeBytes, ...tags },
    ...{ ...hasPassword, ...ttlDays, ...createdAt, ...updatedAt, ...expiresAt, ...views },
  }),
  OwnedItemPage: numberedPage('OwnedItem', 'What a token owns in all namespaces, newest first.'),
  OwnerCheck: answer('Whose an item is.', {
    type: kindName("The item's kind."),
    owner: Type.Boolean({ description: 'Whether the token that was sent owns it.' }),
  }),
  Renewal: request('How long the item shall live from now on.', DAYS_IN_BODY),
  Renewed: answer('A renewed item.', { ...expiresAt, ...ttlDays }),
  RandomNamespace: answer('A name that nobody used when it was asked for.', { namespace: NAME.namespace }),
  NamespaceSuggestions: answer('Names that nobody used when they were asked for, best first.', {
    suggestions: Type.Array(NAME.namespace, { minItems: 5, maxItems: 5, uniqueItems: true }),
  }),
};
