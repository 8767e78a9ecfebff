import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { Parameter } from '../operation.ts';
import { CHARACTERS } from '../text-patterns.ts';
import { inHeader, inPath, inQuery, line, NAMESPACE_NAME, oneOf, text, ttlInDays } from './parts.ts';

const FILENAME = Type.String({
  maxLength: LIMITS.filenameCharacters,
  pattern: CHARACTERS.filename,
  examples: ['launch.md'],
});
const PASSWORD = Type.String({
  maxLength: LIMITS.passwordCharacters,
  pattern: CHARACTERS.password,
  examples: ['correct horse'],
});
const idempotencyKey = (example: string) =>
  Type.String({ pattern: '^[\\x21-\\x7e]{16,255}$', examples: [example] });

/** Parameters of creates, and the time to live of renewals. */
export const CREATING = {
  CreateNamespace: inQuery(
    'ns',
    'Where to put the item; created at first use. `public` is shared by everybody and listed. Some names are reserved. Also `namespace`.',
    Type.String({ ...NAMESPACE_NAME, default: 'public', examples: ['team-notes'] }),
  ),
  CreateId: inQuery(
    'id',
    "The item's id. When omitted, ten random characters.",
    Type.String({ pattern: CHARACTERS.id, examples: ['launch'] }),
  ),
  Tags: {
    ...inQuery(
      'tags',
      `Up to ${LIMITS.tags} tags of 1 to ${LIMITS.tagCharacters} characters, separated by commas; may be repeated. Trimmed, lower-cased and de-duplicated.`,
      Type.Array(Type.String({ pattern: CHARACTERS.tags }), { examples: [['docs,launch']] }),
    ),
    style: 'form',
    explode: true,
  },
  Ttl: inQuery(
    'ttl',
    'Days until the item is deleted, 1 to 30; also as `7d` or `7 days`. Also `ttlDays` and `ttl_days`.',
    ttlInDays({ default: LIMITS.ttlDaysDefault, examples: [7, '30d', '30 days'] }),
  ),
  Title: inQuery('title', 'How the item is named.', line('Launch notes', LIMITS.titleCharacters)),
  Filename: inQuery('filename', 'Name of the file in downloads, without a path.', FILENAME),
  PutName: inPath(
    'filename',
    'Names the file. Its extension decides what becomes of it; names of the service itself, such as `docs`, are no names of files.',
    Type.String({ maxLength: LIMITS.filenameCharacters, examples: ['launch.md'] }),
  ),
  UploadedFilename: inQuery(
    'filename',
    'Names the file instead of the name of its part, without a path. The extension counts.',
    FILENAME,
  ),
  Format: inQuery(
    'format',
    'Of the content: `html`, `markdown` (or `md`) or `text`, in any case. When omitted, the Content-Type tells; a JSON body is HTML.',
    oneOf(['html', 'markdown', 'md', 'text'], 'markdown'),
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
    'Protects the item: whoever reads it must send this password, and it is listed nowhere. An empty one is none.',
    PASSWORD,
  ),
  SetPasswordQuery: inQuery(
    'p',
    'The password to set, where a header cannot be sent. Also `password`. It must be one that a header could carry: without control characters, and without white space at its beginning or end.',
    PASSWORD,
  ),
  DeliveryMode: inHeader(
    'X-Delivery-Mode',
    'Where the item is served: `path` below this host, in a sandbox without an origin, or `subdomain`, a host of its own with storage, cookies and service workers of its own. When omitted, as this server does by default. A server without a domain for items serves all by path; the answer tells.',
    oneOf(['path', 'subdomain'], 'subdomain'),
  ),
  GroupToken: inHeader(
    'X-Owner-Token',
    'An owner token of yours: the new item gets the same owner. When omitted, a new token is made.',
    Type.String({
      minLength: LIMITS.ownerTokenMinCharacters,
      maxLength: LIMITS.ownerTokenMaxCharacters,
      pattern: CHARACTERS.line,
      examples: ['own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt'],
    }),
  ),
  IdempotencyKey: inHeader(
    'Idempotency-Key',
    'A name for this create, random and known to you alone, such as a new UUID: for 24 hours a repetition of the same request returns the same item, with its owner token, instead of a second one.',
    idempotencyKey('6f1c2f0e-8a5d-4c4b-9d7e-2b1a0c9d8e7f'),
  ),
  ChangeIdempotencyKey: inHeader(
    'Idempotency-Key',
    'A name for this change, random, such as a new UUID: for 24 hours a repetition of the same request changes nothing more, and gets the first answer.',
    idempotencyKey('0b7e4f0c-2a1d-4b8e-9f3c-5d6a7b8c9d0e'),
  ),
  ReplacementTtl: inQuery(
    'ttl',
    'Days from now until the item is deleted, 1 to 30; also as `7d` or `7 days`. When omitted, its time to live stays. Also `ttlDays` and `ttl_days`.',
    ttlInDays({ examples: [7, '30d', '30 days'] }),
  ),
  RenewalTtl: inQuery(
    'ttl',
    'Days from now until the item is deleted, 1 to 30; also as `7d` or `7 days`. When omitted, as many as it was given last. Also `ttlDays` and `ttl_days`.',
    ttlInDays({ examples: [7, '30d', '30 days'] }),
  ),
} satisfies Record<string, Parameter>;
