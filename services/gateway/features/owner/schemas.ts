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
  quarantine,
  request,
  sizeBytes,
  tags,
  title,
  ttlDays,
  URLS,
  updatedAt,
  views,
} from '../../openapi/schema-parts.ts';

/** The name of one of the five kinds. */
const kindName = (description: string): TSchema => Type.Unsafe({ type: 'string', enum: KINDS, description });

/** Schemas of owners, and of all that an owner can do with an item of any kind. */
export const OWNER_SCHEMAS: Record<string, TSchema> = {
  OwnerToken: answer('A new owner token.', {
    ownerToken: Type.String({
      minLength: LIMITS.ownerTokenMinCharacters,
      description: 'Send it with creates. It cannot be recovered.',
    }),
  }),
  PlainOwnerToken: answer('A new owner token, and the id of its owner.', {
    token: Type.String({
      pattern: '^[A-Za-z0-9]{32}$',
      description: 'Send it as `X-Owner-Token`. It cannot be recovered.',
    }),
    ownerId: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'The SHA-256 of the token in hex: all that the server will know of it.',
    }),
  }),
  OwnedItem: answer('An item of whatever kind, for its owner.', {
    ...{ ...NAME, type: kindName("The item's kind."), ...title, ...URLS, ...sizeBytes, ...tags },
    ...{ ...hasPassword, ...ttlDays, ...createdAt, ...updatedAt, ...expiresAt, ...views, ...quarantine },
  }),
  OwnedItemPage: numberedPage('OwnedItem', 'What a token owns in all namespaces, newest first.'),
  OwnerCheck: answer('Whose an item is.', {
    type: kindName("The item's kind."),
    owner: Type.Boolean({ description: 'Whether the token that was sent owns it.' }),
    isOwner: Type.Boolean({ description: 'The same, by the name that other clients know.' }),
  }),
  Renewal: request('How long the item shall live from now on.', DAYS_IN_BODY),
  Renewed: answer('A renewed item.', { ...expiresAt, ...ttlDays }),
};
