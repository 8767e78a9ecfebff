import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox';
import { GALLERY_SORTS } from '../../../shared/contracts/gallery.ts';
import { REPORT_STATUSES } from '../../../shared/contracts/reports.ts';
import { KINDS, LIMITS } from '../../../shared/items/item.ts';
import { ITEM_ID, NAMESPACE } from '../intake/addresses.ts';
import { type Parameter, parameterRef, type Reference } from './operation.ts';

const inPath = (name: string, description: string, schema: TSchema): Parameter => ({
  ...{ name, in: 'path', description, required: true, schema },
});
const inQuery = (name: string, description: string, schema: TSchema): Parameter => ({
  ...{ name, in: 'query', description, schema },
});
const inHeader = (name: string, description: string, schema: TSchema): Parameter => ({
  ...{ name, in: 'header', description, schema },
});

const text = (example: string, maxLength?: number) =>
  Type.String({ examples: [example], ...(maxLength === undefined ? {} : { maxLength }) });
const OWNER_TOKEN = Type.String({ examples: ['own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt'] });
const TAG = '"f6a3c1d2e4b5968778695a4b3c2d1e0f"';
const NAMESPACE_NAME = { pattern: NAMESPACE.source };
const flag = Type.Unsafe({
  type: 'string',
  enum: ['', 'true', '1', 'yes', 'false', '0', 'no'],
  examples: ['1'],
});

const ttlInDays = (options: SchemaOptions) =>
  Type.Union(
    [
      Type.Integer({ minimum: LIMITS.ttlDaysMin, maximum: LIMITS.ttlDaysMax }),
      Type.String({ pattern: '^\\s*\\d{1,2}\\s*([dD]|[dD][aA][yY][sS]?)?\\s*$' }),
    ],
    options,
  );

/** Under `#/components/parameters`. Values stand in `schema.examples`, so that the page fills none in unasked. */
export const PARAMETERS = {
  UserAgent: {
    ...inHeader(
      'User-Agent',
      'Names your client. Browsers and HTTP libraries send one by themselves; without one the answer is 400.',
      Type.String({ minLength: 1 }),
    ),
    required: true,
    example: 'MyAgent/1.0',
  },

  Namespace: inPath('ns', "The item's namespace.", Type.String({ examples: ['public'] })),
  Id: inPath('id', "The item's id.", Type.String({ examples: ['Ab3dE6gH9k'] })),
  Key: inPath(
    'key',
    `The key: 1 to ${LIMITS.kvKeyCharacters} characters without a slash, percent-encoded.`,
    Type.String({ minLength: 1, maxLength: LIMITS.kvKeyCharacters, examples: ['greeting'] }),
  ),
  FilePath: {
    ...inPath('filePath', 'Path of the file within the site, slashes included.', text('assets/site.css')),
    'x-rest-of-path': true,
  },
  Sub: {
    ...inPath(
      'sub',
      'Of a store: the key. Of a site: the path of a file, slashes included.',
      text('assets/site.css'),
    ),
    'x-rest-of-path': true,
  },
  Code: inPath('code', "The item's short code.", Type.String({ examples: ['k3Xq9Za'] })),

  CreateNamespace: inQuery(
    'ns',
    'Where to put the item; created at first use. `public` is shared by everybody and listed. Some names are reserved. Also `namespace`.',
    Type.String({ ...NAMESPACE_NAME, default: 'public', examples: ['team-notes'] }),
  ),
  CreateId: inQuery(
    'id',
    "The item's id. When omitted, ten random characters.",
    Type.String({ pattern: ITEM_ID.source, examples: ['launch'] }),
  ),
  Tags: {
    ...inQuery(
      'tags',
      `Up to ${LIMITS.tags} tags of 1 to ${LIMITS.tagCharacters} characters, separated by commas; may be repeated. Trimmed, lower-cased and de-duplicated.`,
      Type.Array(Type.String(), { examples: [['docs,launch']] }),
    ),
    style: 'form',
    explode: true,
  },
  Ttl: inQuery(
    'ttl',
    'Days until the item is deleted, 1 to 30; also as `7d` or `7 days`. Also `ttlDays`.',
    ttlInDays({ default: LIMITS.ttlDaysDefault, examples: [7, '30d', '30 days'] }),
  ),
  Title: inQuery('title', 'How the item is named.', text('Launch notes', LIMITS.titleCharacters)),
  Filename: inQuery(
    'filename',
    'Name of the file in downloads, without a path.',
    text('launch.md', LIMITS.filenameCharacters),
  ),
  Format: inQuery(
    'format',
    'Of the content: `html`, `markdown` (or `md`) or `text`. When omitted, the Content-Type tells; a JSON body is HTML.',
    Type.Unsafe({ type: 'string', enum: ['html', 'markdown', 'md', 'text'], examples: ['markdown'] }),
  ),
  ShowTopBar: inQuery(
    'showTopBar',
    "Whether the page is shown with the top bar. When omitted, the server's default applies.",
    Type.Boolean({ examples: [true] }),
  ),
  Entry: inQuery(
    'entry',
    'Path of the entry file. When omitted, `index.html`, else the only HTML file.',
    text('start.html', LIMITS.sitePathCharacters),
  ),
  SetPassword: inHeader(
    'X-Password',
    'Protects the item: whoever reads it must send this password, and it is listed nowhere.',
    Type.String({ minLength: 1, maxLength: LIMITS.passwordCharacters, examples: ['correct horse'] }),
  ),
  SetPasswordQuery: inQuery(
    'p',
    'The password to set, where a header cannot be sent. Also `password`.',
    text('correct horse', LIMITS.passwordCharacters),
  ),
  GroupToken: inHeader(
    'X-Owner-Token',
    'An owner token of yours: the new item gets the same owner. When omitted, a new token is made.',
    Type.String({
      minLength: LIMITS.ownerTokenMinCharacters,
      maxLength: LIMITS.ownerTokenMaxCharacters,
      examples: ['own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt'],
    }),
  ),
  IdempotencyKey: inHeader(
    'Idempotency-Key',
    'A name for this create, random and known to you alone, such as a new UUID: for 24 hours a repetition of the same request returns the same item, with its owner token, instead of a second one.',
    Type.String({
      pattern: '^[\\x21-\\x7e]{16,255}$',
      examples: ['6f1c2f0e-8a5d-4c4b-9d7e-2b1a0c9d8e7f'],
    }),
  ),

  OwnerToken: inHeader('X-Owner-Token', 'The owner token that the create returned.', OWNER_TOKEN),
  OwnerTokenQuery: inQuery('token', 'The owner token, where a header cannot be sent.', OWNER_TOKEN),
  Password: inHeader('X-Password', "The item's password, if it has one.", text('correct horse')),
  PasswordQuery: inQuery('p', "The item's password, where a header cannot be sent.", text('correct horse')),

  ListNamespace: inQuery(
    'ns',
    'Of which namespace.',
    Type.String({ ...NAMESPACE_NAME, default: 'public', examples: ['team-notes'] }),
  ),
  Page: inQuery('page', 'Which page of the list, from 1.', Type.Integer({ minimum: 1, examples: [1] })),
  Size: inQuery(
    'size',
    'Items on a page. When neither this nor `page` is given, the list comes whole.',
    Type.Integer({ minimum: 1, maximum: 1000, examples: [100] }),
  ),

  GallerySearch: inQuery(
    'q',
    'Words that title and tags must have, in any order: upper and lower case and accents make no difference, and the last word may be the beginning of one. Also `"a phrase"`, `-not`, `this or that`. Also `search`.',
    text('launch note', 200),
  ),
  GallerySize: inQuery(
    'size',
    'Items on a page. Also `limit`.',
    Type.Integer({ minimum: 1, maximum: 100, default: 20, examples: [20] }),
  ),
  GallerySort: inQuery(
    'sort',
    'Newest first, or most viewed first. Of a search the best finds come first; this orders equally good ones.',
    Type.Unsafe({ type: 'string', enum: GALLERY_SORTS, default: 'date', examples: ['views'] }),
  ),
  Tag: inQuery('tag', 'Items with this tag only.', text('launch', LIMITS.tagCharacters)),
  SitemapPart: inQuery(
    'part',
    'Which file of the index.',
    Type.Integer({ minimum: 1, maximum: 1000, examples: [1] }),
  ),

  OwnedSize: inQuery(
    'size',
    'Items on a page.',
    Type.Integer({ minimum: 1, maximum: 1000, default: 100, examples: [100] }),
  ),
  Kind: inQuery(
    'kind',
    'Items of this kind only.',
    Type.Unsafe({ type: 'string', enum: KINDS, examples: ['html'] }),
  ),
  RenewalTtl: inQuery(
    'ttl',
    'Days from now until the item is deleted, 1 to 30; also as `7d` or `7 days`. When omitted, as many as it was given last. Also `ttlDays`.',
    ttlInDays({ examples: [7, '30d', '30 days'] }),
  ),
  TimeZone: inQuery(
    'tz',
    'Whose days are meant: a time zone by its name in the IANA database. Default `UTC`.',
    text('Europe/Berlin'),
  ),
  NameLike: inQuery('q', 'What the names shall be like.', text('Café notes')),

  AdminPassword: inHeader(
    'X-Admin-Password',
    "The operator's password. After ten wrong ones within 15 minutes 429, also for the right one.",
    text('correct horse battery staple'),
  ),
  LogIp: inQuery('ip', 'Requests of this address, as the log shows it.', text('192.0.2.1')),
  LogMethod: inQuery('method', 'Requests with this method.', text('GET')),
  LogStatus: inQuery(
    'status',
    'Requests answered with this status, or with one of a class.',
    Type.String({ pattern: '^[1-5](?:\\d\\d|[xX]{2})$', examples: ['404', '4xx'] }),
  ),
  LogPath: inQuery('path', 'Requests whose path begins with this.', text('/public/')),
  LogResource: inQuery(
    'resource',
    'Requests that met this item, as `namespace/id`, or any item of this namespace.',
    Type.String({ examples: ['public/Ab3dE6gH9k', 'team-notes'] }),
  ),
  LogUserAgent: inQuery('ua', 'Requests whose User-Agent contains this, in any case.', text('MyAgent', 200)),
  LogFrom: inQuery(
    'from',
    'Requests from this instant or date (UTC) on.',
    Type.String({ examples: ['2026-11-21', '2026-11-21T07:20:21Z'] }),
  ),
  LogTo: inQuery(
    'to',
    'Requests before this instant or date (UTC).',
    Type.String({ examples: ['2026-11-22', '2026-11-22T09:00:00+01:00'] }),
  ),
  LogLimit: inQuery(
    'limit',
    'Entries on a page.',
    Type.Integer({ minimum: 1, maximum: 1000, default: 100, examples: [100] }),
  ),
  LogOffset: inQuery(
    'offset',
    'Entries to leave out first.',
    Type.Integer({ minimum: 0, maximum: 100_000, default: 0, examples: [100] }),
  ),
  LogCursor: inQuery(
    'cursor',
    'The `nextCursor` of an earlier answer: goes on there.',
    text('MTc5NTI0NjQyMTAwMC40NzEx'),
  ),
  LogDays: inQuery(
    'days',
    "How many days, today being the last of them; at most the log's retention.",
    Type.Integer({ minimum: 1, default: 7, examples: [7] }),
  ),

  ReportId: inPath('id', "The report's id.", Type.String({ examples: ['V1StGXR8_Z5jdHi6'] })),
  ReportStatus: inQuery(
    'status',
    'Reports of this status only.',
    Type.Unsafe({ type: 'string', enum: REPORT_STATUSES, examples: ['new'] }),
  ),
  ReportsSize: inQuery(
    'size',
    'Reports on a page.',
    Type.Integer({ minimum: 1, maximum: 100, default: 20, examples: [20] }),
  ),

  Ticket: inQuery(
    'ticket',
    "Opens a protected item for a while in place of its password. The service's own pages carry it.",
    Type.String({ examples: ['1795250421.c2lnbmF0dXJlIG9mIHRoZSBzZXJ2aWNl'] }),
  ),
  Download: inQuery('dl', 'As a download.', flag),
  Raw: inQuery('raw', 'The stored bytes with their own type, without a page around them.', flag),
  Range: inHeader('Range', 'Which bytes (RFC 9110). Of files and sites.', text('bytes=0-99')),
  IfRange: inHeader('If-Range', 'The range only if this is still the ETag, else the whole.', text(TAG)),
  IfNoneMatch: inHeader('If-None-Match', 'ETags you have: 304 when one is current.', text(TAG)),
  IfMatch: inHeader(
    'If-Match',
    'The ETags one of which the content must still have, else 412; `*`: it must be there.',
    text(TAG),
  ),
  IfAbsent: inHeader('If-None-Match', '`*`: the key must not be there, else 412.', text('*')),

  ReportedItem: inQuery(
    'item',
    'The item to report, as `{ns}/{id}`; fills the form in.',
    text('public/Ab3dE6gH9k'),
  ),
  AssetName: inPath('name', "The file's name.", Type.String({ examples: ['perch.css'] })),
} satisfies Record<string, Parameter>;

export type ParameterName = keyof typeof PARAMETERS;

/** References to parameters, and the one that every request carries. */
export const parameters = (...names: ParameterName[]): Reference[] =>
  ['UserAgent', ...names].map((name) => parameterRef(name));

/** What every create accepts besides its content. */
export const CREATE: ParameterName[] = [
  ...(['CreateNamespace', 'CreateId', 'Tags', 'Ttl', 'Title', 'SetPassword', 'SetPasswordQuery'] as const),
  ...(['GroupToken', 'OwnerTokenQuery', 'IdempotencyKey'] as const),
];

export const ITEM: ParameterName[] = ['Namespace', 'Id'];
export const OWNER: ParameterName[] = ['OwnerToken', 'OwnerTokenQuery'];

/** What opens a protected item: its password, or its owner's token. */
export const READER: ParameterName[] = ['Password', 'PasswordQuery', ...OWNER];

export const LIST: ParameterName[] = ['ListNamespace', 'Page', 'Size', ...OWNER];

/** Reads of an item that need a credential only when it has a password. */
export const MAY_NEED_PASSWORD = [
  {},
  { password: [] },
  { passwordQuery: [] },
  { ownerToken: [] },
  { ownerTokenQuery: [] },
];

/** The operator's alone. */
export const ADMIN: ParameterName[] = ['AdminPassword'];
export const ADMIN_ONLY = [{ adminPassword: [] }];

/** The owner's alone. */
export const OWNER_ONLY = [{ ownerToken: [] }, { ownerTokenQuery: [] }];

/** With an owner token or without. */
export const OWNER_OPTIONAL = [{}, ...OWNER_ONLY];
