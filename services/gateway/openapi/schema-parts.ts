import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { LIMITS } from '../../../shared/items/item.ts';
import { QUARANTINE_CAUSES } from '../../../shared/items/quarantine.ts';
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

/** A page of a list that is counted through. @param more fields besides */
export const numberedPage = (item: string, description: string, more: Record<string, TSchema> = {}) =>
  answer(description, {
    items: Type.Array(schemaRef(item)),
    total: count('How many there are in all.'),
    page: Type.Integer({ minimum: 1 }),
    size: Type.Integer({ minimum: 1, description: 'How many a page has at most.' }),
    pages: count('How many pages there are.'),
    ...more,
  });

export const instant = (description: string) => Type.String({ format: 'date-time', description });
export const count = (description: string) => Type.Integer({ minimum: 0, description });
const address = (description: string) => Type.String({ format: 'uri', description });
export const text = (description: string) => Type.String({ description });
const oneOf = (values: readonly string[], description: string): TSchema =>
  Type.Unsafe({ type: 'string', enum: values, description });

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

/** Why an item is in quarantine; its owner is told, and the operator. */
export const QUARANTINE = answer('Why nobody but its owner may read an item.', {
  cause: oneOf(
    QUARANTINE_CAUSES,
    '`malware`: a scanner found something; `link`: a page links to a host of the blocklist; `unscannable`: it cannot be looked through; `unscanned`: it will be, soon.',
  ),
  verdict: text("The scanner's name for it, the host, or the reason; empty for what is `unscanned`."),
  part: nullable('string', 'The file of a site that it is about; null: the content itself.'),
  since: instant('Since when.'),
});
export const quarantine = { quarantine: Type.Optional(schemaRef('Quarantine')) };

const mode = (description: string) => oneOf(['path', 'subdomain'], description);

/** Where an item is served. */
export const hosting = {
  deliveryMode: mode('What holds for the item: what was asked for, else what this server does by default.'),
  requestedDeliveryMode: Type.Unsafe({
    type: ['string', 'null'],
    enum: ['path', 'subdomain', null],
    description: 'What was asked for; null: nothing.',
  }),
  effectiveDeliveryMode: mode('Where it is served: `subdomain` needs a server with a domain for items.'),
  deliveryModeMatched: Type.Boolean({ description: 'Whether it is served as `deliveryMode` says.' }),
  hostUrl: Type.Unsafe({
    type: ['string', 'null'],
    format: 'uri',
    description: 'The address of its own host, where it is served there and has been given one.',
  }),
  access: Type.Unsafe({ type: 'string', enum: ['public', 'unlisted', 'protected'] }),
  managementLink: address('The page where its owner manages it.'),
  hostingVersion: Type.Integer({ minimum: 1, description: 'Grows with each change of `deliveryMode`.' }),
};

const fewTexts = (description: string) =>
  Type.Optional(Type.Array(Type.String(), { maxItems: 50, description }));

/** How the upload of a page or a site went (specification 3.7). */
export const UPLOAD_RESULT: Record<string, TSchema> = {
  UploadResult: answer('How an upload went.', {
    code: oneOf(['success', 'duplicate', 'warned', 'failed'], 'In a word.'),
    action: oneOf(
      ['created', 'created_missing_assets', 'updated', 'merged', 'created_warned', 'rejected'],
      'And what was done.',
    ),
    reason: Type.Optional(text('Why it is no plain success, and what to do.')),
    extras: Type.Optional(
      answer('What belongs to the reason.', {
        isOwner: Type.Optional(Type.Boolean({ description: 'Whether the item that was there is yours.' })),
        localAssetRefs: fewTexts('The files that the page asks for, as it names them.'),
        rootRefs: fewTexts(
          'Addresses in the site that begin at the root of the host, where the site is not.',
        ),
        storage: fewTexts(
          'Files of the site that use storage of the browser, which hosted sites have none of.',
        ),
      }),
    ),
  }),
};
