import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { LIMITS } from '../../../shared/items/item.ts';
import { ITEM_ID, NAMESPACE } from '../items/item-address.ts';
import { schemaRef } from './operation.ts';

/** A body of the service: exactly these fields. */
export const answer = (description: string, properties: TProperties) =>
  Type.Object(properties, { additionalProperties: false, description });

/** A body for the service: fields beside these are passed over. */
export const request = (description: string, properties: TProperties) =>
  Type.Object(properties, { description });

export const nullable = (type: 'string' | 'boolean' | 'integer', description: string): TSchema =>
  Type.Unsafe({ type: [type, 'null'], description });

export const list = (item: string, description: string) => Type.Array(schemaRef(item), { description });

/** A page of a list that is counted through. */
export const numberedPage = (item: string, description: string) =>
  answer(description, {
    items: Type.Array(schemaRef(item)),
    total: count('How many there are in all.'),
    page: Type.Integer({ minimum: 1 }),
    size: Type.Integer({ minimum: 1, description: 'How many a page has at most.' }),
    pages: count('How many pages there are.'),
  });

export const instant = (description: string) => Type.String({ format: 'date-time', description });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
const address = (description: string) => Type.String({ format: 'uri', description });
export const text = (description: string) => Type.String({ description });

export const NAME = {
  namespace: Type.String({ pattern: NAMESPACE.source }),
  id: Type.String({ pattern: ITEM_ID.source }),
};
export const URLS = {
  url: address("The item's address."),
  shortUrl: address('The same by its short code.'),
  link: address('What to share: the address; of a key, its own.'),
};
export const ownerLink = { ownerLink: address("The item's address in the API.") };
export const title = { title: text('What the item is called.') };
export const sizeBytes = { sizeBytes: count('Bytes of the content.') };
export const tags = { tags: Type.Array(Type.String(), { maxItems: LIMITS.tags }) };
export const ttlDays = {
  ttlDays: Type.Integer({ minimum: LIMITS.ttlDaysMin, maximum: LIMITS.privilegedTtlDaysMax }),
};
export const hasPassword = { hasPassword: Type.Boolean() };
export const views = { views: count('How often it has been read.') };
export const createdAt = { createdAt: instant('When it was created.') };
export const updatedAt = { updatedAt: instant('When its content last changed.') };
export const expiresAt = { expiresAt: instant('When it will be deleted.') };
