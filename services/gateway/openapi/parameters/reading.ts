import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { Parameter } from '../operation.ts';
import { KEY_NAME } from '../text-patterns.ts';
import { flag, inHeader, inPath, inQuery, OWNER_TOKEN, TAG, text } from './parts.ts';

/** Parts of addresses. */
export const ADDRESSES = {
  Namespace: inPath('ns', "The item's namespace.", Type.String({ examples: ['public'] })),
  Id: inPath('id', "The item's id.", Type.String({ examples: ['Ab3dE6gH9k'] })),
  Key: inPath(
    'key',
    `The key: 1 to ${LIMITS.kvKeyCharacters} characters without a slash, percent-encoded.`,
    Type.String({ ...KEY_NAME, examples: ['greeting'] }),
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
  IndexNowKey: inPath(
    'key',
    'The key: 8 to 128 letters, digits and hyphens.',
    Type.String({ pattern: '^[A-Za-z0-9-]{8,128}$', examples: ['example-index-now-key'] }),
  ),
  GalleryPictureName: inPath(
    'name',
    "The picture's name, as a page of the gallery has it.",
    Type.String({ examples: ['abcdefghijklmnop-AbCdEfGhIjKlMnOpQrStUvWxYz0123456.webp'] }),
  ),
  PictureName: inPath(
    'name',
    "The item's id, and `.png` behind it.",
    Type.String({ examples: ['Ab3dE6gH9k.png'] }),
  ),
  ReportId: inPath('id', "The report's id.", Type.String({ examples: ['Q7wErT2yU9'] })),
  OwnerId: inPath(
    'ownerId',
    'The SHA-256 of the owner token, in hex.',
    Type.String({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] }),
  ),
  BlockId: inPath('id', "The entry's id.", Type.String({ examples: ['Q7wErT2yU9'] })),
  ContentHash: inPath(
    'hash',
    'A SHA-256 in hex, or its first 32 digits.',
    Type.String({ examples: ['5d1f0c7b2a9e4386b0c1d2e3f4a59687'] }),
  ),
  ConsoleSection: inPath('section', 'Which part.', Type.String({ examples: ['reports', 'access'] })),
  AssetName: inPath('name', "The file's name.", Type.String({ examples: ['perch.css'] })),
} satisfies Record<string, Parameter>;

/** Parameters of reads: credentials, ranges, conditions and forms of the content. */
export const READING = {
  OwnerToken: inHeader('X-Owner-Token', 'The owner token that the create returned.', OWNER_TOKEN),
  OwnerTokenQuery: inQuery('token', 'The owner token, where a header cannot be sent.', OWNER_TOKEN),
  Password: inHeader('X-Password', "The item's password, if it has one.", text('correct horse')),
  PasswordQuery: inQuery('p', "The item's password, where a header cannot be sent.", text('correct horse')),
  Ticket: inQuery(
    'ticket',
    "Opens a protected item for a while in place of its password. The service's own pages carry it.",
    Type.String({ examples: ['1795250421.c2lnbmF0dXJlIG9mIHRoZSBzZXJ2aWNl'] }),
  ),
  Download: inQuery('dl', ...flag('As a download.')),
  Raw: inQuery('raw', ...flag('The stored bytes with their own type, without a page around them.')),
  Range: inHeader('Range', 'Which bytes (RFC 9110). Of files and sites.', text('bytes=0-99')),
  IfRange: inHeader(
    'If-Range',
    'The range only if this is still the ETag, or the date of what is not text, else the whole.',
    text(TAG),
  ),
  IfNoneMatch: inHeader('If-None-Match', 'ETags you have: 304 when one is current.', text(TAG)),
  IfModifiedSince: inHeader(
    'If-Modified-Since',
    'A `Last-Modified` you have: 304 while the content is no newer. Without `If-None-Match` only.',
    text('Sat, 21 Nov 2026 07:20:21 GMT'),
  ),
  IfUnmodifiedSince: inHeader(
    'If-Unmodified-Since',
    'A `Last-Modified` you have: 412 when the content is newer. Without `If-Match` only.',
    text('Sat, 21 Nov 2026 07:20:21 GMT'),
  ),
  Wait: inQuery(
    'wait',
    'With `If-None-Match`: how many seconds to wait for another value before the answer is 304, 0 to 30.',
    Type.Integer({ minimum: 0, maximum: 30, default: 0, examples: [30] }),
  ),
  LivePage: inQuery(
    'live',
    ...flag(
      'A page with the top bar shows its new versions by itself. With `Accept: text/event-stream`: the versions of any page as events.',
    ),
  ),
  LastEventId: inHeader(
    'Last-Event-ID',
    'Of a stream of events: the id of the last event you have. While it is that of the value now, only later ones are sent.',
    text('3'),
  ),
  IfMatch: inHeader(
    'If-Match',
    'The ETags one of which the content must still have, else 412; `*`: it must be there.',
    text(TAG),
  ),
  IfMatchOfFile: inHeader(
    'If-Match',
    'The ETags one of which the file must still have, else 412; `*`: it must be there. Of files and sites.',
    text(TAG),
  ),
  IfAbsent: inHeader('If-None-Match', '`*`: the key must not be there, else 412.', text('*')),
  IfNoDocument: inHeader(
    'If-None-Match',
    '`*`: no document must be there. As there is one, the answer is always 412.',
    text('*'),
  ),
  UserAgent: {
    ...inHeader(
      'User-Agent',
      'Names your client. Browsers and HTTP libraries send one by themselves; without one the answer is 400.',
      Type.String({ minLength: 1 }),
    ),
    required: true,
    example: 'MyAgent/1.0',
  },
  TimeZone: inQuery(
    'tz',
    'Whose days are meant: a time zone by its name in the IANA database. Default `UTC`.',
    text('Europe/Berlin'),
  ),
  NameLike: inQuery('q', 'What the names shall be like.', text('Café notes')),
  ReportedItem: inQuery(
    'item',
    'The item to report, as `{ns}/{id}`; fills the form in.',
    text('public/Ab3dE6gH9k'),
  ),
} satisfies Record<string, Parameter>;
