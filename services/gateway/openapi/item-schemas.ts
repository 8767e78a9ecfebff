import { type TSchema, Type } from '@sinclair/typebox';
import { LIMITS } from '../../../shared/items/item.ts';
import { CREATE_IN_BODY, PAGE_IN_BODY } from './create-fields.ts';
import { schemaRef } from './operation.ts';
import {
  answer,
  count,
  createdAt,
  expiresAt,
  hasPassword,
  hosting,
  list,
  NAME,
  nullable,
  ownerLink,
  quarantine,
  request,
  sizeBytes,
  tags,
  text,
  title,
  ttlDays,
  URLS,
  updatedAt,
  views,
} from './schema-parts.ts';
import { KEY_NAME, PAGE_TEXT } from './text-patterns.ts';

const CREATED = {
  ...NAME,
  ...URLS,
  ...ownerLink,
  ownerToken: Type.String({
    minLength: LIMITS.ownerTokenMinCharacters,
    description: 'Needed to change or delete the item. It cannot be recovered.',
  }),
  ...title,
  ...sizeBytes,
  ...tags,
  ...ttlDays,
  ...hasPassword,
  ...createdAt,
  ...expiresAt,
  ...hosting,
  ...quarantine,
};
const UPDATED = {
  ...NAME,
  ...URLS,
  ...ownerLink,
  ...title,
  ...sizeBytes,
  ...createdAt,
  ...updatedAt,
  ...expiresAt,
  ...hosting,
  ...quarantine,
};
const LISTED = {
  ...NAME,
  ...URLS,
  ...title,
  ...tags,
  ...hasPassword,
  ...ttlDays,
  ...createdAt,
  ...updatedAt,
  ...expiresAt,
  ...views,
  ...quarantine,
};
const size = { size: count('Bytes of the content.') };

const format = { format: Type.Unsafe({ type: 'string', enum: ['HTML', 'MARKDOWN', 'TEXT'] }) };
const filename = { filename: nullable('string', 'Name of the file in downloads.') };
const showTopBar = {
  showTopBar: nullable('boolean', "The page's own choice; null: the server's default applies."),
};
const page = { ...format, ...filename };
const language = {
  language: nullable('string', 'Of what the text is written in, such as `yaml`, where its type says so.'),
};
const effectiveTopBar = {
  showTopBar: Type.Boolean({ description: 'Whether the page is shown with the top bar.' }),
  showTopBarOverride: nullable('boolean', "The page's own choice; null: the server's default applies."),
};
const pageRecord = {
  ...NAME,
  ...page,
  ...language,
  ...title,
  ...effectiveTopBar,
  ...ttlDays,
  ...tags,
  ...sizeBytes,
  ...createdAt,
  ...updatedAt,
  ...expiresAt,
  ...quarantine,
};

const file = { filename: text('As it was uploaded.'), contentType: text('What it is served as.') };
const site = {
  entryFile: text('The file that the address itself shows.'),
  fileCount: Type.Integer({ minimum: 1, maximum: LIMITS.siteFiles }),
  totalSizeBytes: count('Bytes of all files.'),
};

const result = { result: schemaRef('UploadResult') };

const pageText = (description: string) => Type.String({ ...PAGE_TEXT, description });

const key = { key: Type.String(KEY_NAME) };
const version = { version: Type.Integer({ minimum: 1, description: 'Counts the values this key has had.' }) };
const value = { value: Type.Unknown({ description: 'Any JSON value, up to 1 MB as JSON text.' }) };
const entryWritten = {
  ...NAME,
  ...key,
  ...sizeBytes,
  created: Type.Boolean({ description: 'Whether the key is new.' }),
  ...version,
  link: URLS.link,
  ...ownerLink,
  ...updatedAt,
  ...expiresAt,
};
const wholeNumber = (description: string) =>
  Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, description });

/** Schemas of what creates, changes, reads and lists of each kind of item take and answer. */
export const ITEM_SCHEMAS: Record<string, TSchema> = {
  PageCreate: request('A page to publish (HtmlUploadRequest).', {
    content: pageText('The page itself, up to 5 MB.'),
    ...CREATE_IN_BODY,
    ...PAGE_IN_BODY,
  }),
  PageUpdate: request('New content of a page (HtmlUpdateRequest). What cannot change is passed over.', {
    content: pageText('The new page, up to 5 MB.'),
    title: CREATE_IN_BODY.title,
  }),
  PagePreview: request('A page to look at before it is published.', {
    content: pageText('The page, up to 1 MB.'),
    title: CREATE_IN_BODY.title,
    format: PAGE_IN_BODY.format,
    filename: PAGE_IN_BODY.filename,
  }),
  PagePreviewed: answer('A page as people would see it, without the top bar.', {
    ...format,
    title: text('Given, found in the content, or the file name; else empty.'),
    html: text('A whole document. Show it in a sandbox: of an HTML page it is what was sent.'),
  }),
  PageCreated: answer('A published page.', { ...CREATED, ...page, ...showTopBar, ...result }),
  PageUpdated: answer('A page with new content (HtmlUpdateResponse).', { ...UPDATED, ...format }),
  Published: Type.Object(CREATED, {
    description: 'A new item of whatever kind, with the fields of its kind besides.',
  }),
  PageSettings: answer('A page without its content (HtmlSettingsResponse).', {
    ...pageRecord,
    ...hasPassword,
    ...hosting,
  }),
  PageSource: answer('A page as it is stored (HtmlSourceResponse).', {
    ...pageRecord,
    content: text('The body as it was sent.'),
  }),
  PageSummary: answer('A page in a list.', { ...LISTED, ...page, ...size }),
  PageList: list('PageSummary', 'Pages of one owner, newest first.'),

  StoreCreate: request('A store with its first key.', { ...key, ...value, ...CREATE_IN_BODY }),
  StoreCreated: answer('A new store.', { ...CREATED, ...key }),
  Store: answer('The keys of a store.', {
    ...NAME,
    keys: Type.Array(key.key),
    count: Type.Integer({ minimum: 0, maximum: LIMITS.kvKeys }),
    entries: Type.Array(Type.Object({ ...key, ...sizeBytes, ...updatedAt }, { additionalProperties: false })),
    ...createdAt,
    ...expiresAt,
    ...views,
  }),
  StoreSummary: answer('A store in a list.', {
    ...LISTED,
    keyCount: Type.Integer({ minimum: 0, maximum: LIMITS.kvKeys }),
  }),
  StoreList: list('StoreSummary', 'Stores of one owner, newest first.'),
  EntryWrite: request('The new value of a key.', value),
  EntryWritten: answer('What a write did.', entryWritten),
  EntryIncrement: request('What to add to a number.', {
    by: Type.Optional(wholeNumber('May be negative. Default 1.')),
  }),
  EntryIncremented: answer('What an increment did.', {
    ...entryWritten,
    value: wholeNumber('The number that it made.'),
  }),
  Entry: answer('A key and its value.', {
    ...NAME,
    ...key,
    ...value,
    ...version,
    ...updatedAt,
    ...expiresAt,
    ...views,
  }),

  AnyJson: Type.Unknown({
    description: 'Any JSON text, kept byte for byte, up to 1 MB and 512 levels deep.',
  }),
  DocumentCreated: answer('A new document.', CREATED),
  DocumentUpdated: answer('A document with new content.', UPDATED),
  DocumentSummary: answer('A document in a list.', {
    ...LISTED,
    content: text('The beginning of its text, up to 1 KB.'),
    ...size,
  }),
  DocumentList: list('DocumentSummary', 'Documents of one owner, newest first.'),

  FileCreated: answer('An uploaded file.', { ...CREATED, ...file }),
  FileSummary: answer('A file in a list.', { ...LISTED, ...file, ...size }),
  FileList: list('FileSummary', 'Files of one owner, newest first.'),

  PageOrFileCreated: Type.Unsafe({
    oneOf: [schemaRef('PageCreated'), schemaRef('FileCreated')],
    description: 'A page, or the file that a binary body became.',
  }),

  SiteCreated: answer('A published site.', { ...CREATED, ...site, ...result }),
  SiteUpdated: answer('A site with new files.', { ...UPDATED, ...tags, ...ttlDays, ...site, ...result }),
  Site: answer('A site and its files.', {
    ...NAME,
    url: URLS.url,
    shortUrl: URLS.shortUrl,
    ...title,
    ...site,
    files: Type.Array(
      Type.Object(
        { path: text('Relative to the site.'), contentType: text('What it is served as.'), ...sizeBytes },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: LIMITS.siteFiles },
    ),
    ...tags,
    ...hasPassword,
    ...quarantine,
    ...createdAt,
    ...updatedAt,
    ...expiresAt,
    ...views,
  }),
  SiteSummary: answer('A site in a list.', { ...LISTED, ...site }),
  SiteList: list('SiteSummary', 'Sites of one owner, newest first.'),
};
