import { type ErrorCode, type ErrorExtras, type FieldIssue, PerchError } from './perch-error.ts';
import { inSeconds } from './wording/relative-time.ts';

const megabytes = (bytes: number): string => `${bytes / 1_048_576} MB (${bytes} bytes)`;

/** Faulty fields under a code of their own kind. */
const invalid = (code: ErrorCode, issues: FieldIssue[]): PerchError =>
  new PerchError(code, issues.map(({ field, message }) => `${field}: ${message}`).join(' '), {
    details: issues,
  });

const notNow = (what: string, extras: ErrorExtras): PerchError =>
  new PerchError(
    'UNAVAILABLE',
    `The service cannot do this right now (${what}). Try again in a few seconds.`,
    { retryAfter: 2, ...extras },
  );

const MAY_BE_DONE =
  'A change may have been made all the same. Send it again: a PUT as it was, a POST with its Idempotency-Key.';

const late = (message: string, extras: ErrorExtras): PerchError =>
  new PerchError('TIMEOUT', message, { retryAfter: 2, ...extras });

/** The catalogue: the one place where client-facing errors are worded. */
export const errors = {
  invalid,
  /** A life that only the owner's terms tell to be too long. */
  ttlTooLong: (maxDays: number) =>
    invalid('TTL_INVALID', [
      {
        field: 'ttl',
        message: `must be a whole number of days from 1 to ${maxDays}, such as 7, "7d" or "7 days".`,
      },
    ]),
  validationFailed: (issues: FieldIssue[]) => invalid('VALIDATION_FAILED', issues),
  idempotencyKeyReused: () =>
    new PerchError(
      'VALIDATION_FAILED',
      'This Idempotency-Key was used for another request. Send a new key.',
      {
        details: [{ field: 'Idempotency-Key', message: 'was used for another request.' }],
      },
    ),
  jsonInvalid: (reason: string) =>
    new PerchError('JSON_INVALID', `The body is not valid JSON: ${reason}. Send JSON in UTF-8.`),
  jsonTooDeep: (levels: number) =>
    new PerchError(
      'JSON_INVALID',
      `The body is nested deeper than ${levels} levels, which is the limit. Send JSON of fewer levels.`,
    ),
  jsonNotAnObject: () =>
    new PerchError('JSON_INVALID', 'The body is JSON, but not an object. Send one JSON object.'),
  /** A number that tools, whose numbers are doubles, cannot pass on. */
  numberInexact: (number: string, advice: string) =>
    invalid('VALIDATION_FAILED', [
      { field: 'number', message: `${number.slice(0, 40)} has more digits than a tool can hold. ${advice}` },
    ]),
  hostInvalid: () =>
    invalid('VALIDATION_FAILED', [
      { field: 'Host', message: 'is missing or names no host. Send that of the address you ask.' },
    ]),
  userAgentRequired: () =>
    new PerchError(
      'USER_AGENT_REQUIRED',
      'Send a User-Agent header that names your client, for example "MyAgent/1.0".',
    ),
  ownerTokenBlank: () =>
    new PerchError(
      'OWNER_TOKEN_BLANK',
      'This is for the owner only: send the owner token in the X-Owner-Token header or as ?token=.',
    ),
  ownerTokenRequired: () =>
    new PerchError(
      'OWNER_TOKEN_REQUIRED',
      'Only the owner may change this item: send the token returned at creation in the X-Owner-Token header or as ?token=.',
    ),
  ownerTokenInvalid: (message: string) => new PerchError('OWNER_TOKEN_INVALID', `X-Owner-Token: ${message}`),
  ownerTokenWrong: () =>
    new PerchError(
      'OWNER_TOKEN_WRONG',
      'The owner token does not belong to this item. Send the one returned when the item was created.',
    ),
  passwordRequired: () =>
    new PerchError(
      'PASSWORD_REQUIRED',
      'This item is protected: send its password in the X-Password header or as ?p=.',
    ),
  passwordWrong: () =>
    new PerchError('PASSWORD_WRONG', 'The password is wrong. Ask whoever shared the link for the right one.'),
  adminUnauthorized: () =>
    new PerchError(
      'ADMIN_UNAUTHORIZED',
      'This is for the operator only: send the admin password in the X-Admin-Password header.',
    ),
  adminDisabled: () =>
    new PerchError(
      'ADMIN_DISABLED',
      'This server has no admin password, so its admin operations are off. Its operator can set ADMIN_PASSWORD.',
    ),
  clientBlocked: () =>
    new PerchError(
      'CLIENT_BLOCKED',
      'The operator of this server does not let your address or client publish or change anything. Reading works. If it is a mistake, tell the operator.',
    ),
  contentBlocked: () =>
    new PerchError(
      'CONTENT_BLOCKED',
      'The operator of this server has taken exactly this content down, or a file in it, and does not let it be stored again for now. If it is a mistake, tell the operator.',
    ),
  crossSiteForbidden: () =>
    new PerchError(
      'CROSS_SITE_FORBIDDEN',
      'Another page made your browser send this, so it is not done. Open the address itself, and send it from there.',
    ),
  contentNotFound: (namespace: string, id: string) =>
    new PerchError(
      'NOT_FOUND',
      `There is nothing at /${namespace}/${id}. It may have expired; check the address.`,
    ),
  contentGone: (namespace: string, id: string) =>
    new PerchError('GONE', `What was at /${namespace}/${id} has expired or was removed.`),
  codeNotFound: (code: string) =>
    new PerchError(
      'NOT_FOUND',
      `The short link /s/${code} leads nowhere. It may have expired; check the address.`,
    ),
  codeGone: (code: string) =>
    new PerchError('GONE', `What the short link /s/${code} led to has expired or was removed.`),
  reportNotFound: (reportId: string) =>
    new PerchError(
      'NOT_FOUND',
      `There is no report "${reportId.slice(0, 100)}". The list of reports has them all.`,
    ),
  ownerNotFound: (ownerId: string) =>
    new PerchError(
      'NOT_FOUND',
      `There is no owner "${ownerId.slice(0, 100)}". An owner is known by their items; the id is the SHA-256 of the token, in hex.`,
    ),
  blockedContentNotFound: (hash: string) =>
    new PerchError('NOT_FOUND', `No content with the hash "${hash.slice(0, 100)}" is blocked.`),
  notificationNotFound: (id: string) =>
    new PerchError('NOT_FOUND', `There is no message "${id.slice(0, 100)}" that was given up.`),
  blockNotFound: (id: string) =>
    new PerchError('NOT_FOUND', `The blocklist has no entry "${id.slice(0, 100)}", or it was removed.`),
  routeNotFound: (path: string) =>
    new PerchError(
      'NOT_FOUND',
      `There is no such address: ${path.slice(0, 200)}. Those of the API are listed at /docs.`,
      { missing: { partOf: 'service' } },
    ),
  /** @param hint what to do in its place */
  methodNotAllowed: (method: string, allowed: string[], hint: string | null = null) =>
    new PerchError(
      'METHOD_NOT_ALLOWED',
      `${method} is not possible here. Use ${allowed.join(', ')}.${hint === null ? '' : ` ${hint}`}`,
      { allow: allowed },
    ),
  idTaken: (namespace: string, id: string) =>
    new PerchError(
      'ID_TAKEN',
      `/${namespace}/${id} is taken. Choose another id, or omit it to get a free one.`,
    ),
  /** A page's size is a failed validation (422), that of all else a bad request (specification 22.2). */
  pageTooLarge: (limit: number) =>
    new PerchError(
      'PAGE_TOO_LARGE',
      `The content is larger than the limit of ${megabytes(limit)}. Send less.`,
    ),
  tooLarge: (what: string, limit: number) =>
    new PerchError('TOO_LARGE', `${what} is larger than the limit of ${megabytes(limit)}. Send less.`),
  /** A body in gzip that may be a bomb. @param code that of a body of its kind that is too large */
  tooDense: (code: ErrorCode, ratio: number) =>
    new PerchError(
      code,
      `The body becomes more than ${ratio} times as long as it came in gzip, which is the limit. Send it as it is, without Content-Encoding.`,
    ),
  resultsTooLarge: (limit: number) =>
    new PerchError(
      'TOO_LARGE',
      `The results of this message are larger together than the limit of ${limit.toLocaleString('en')} characters. Ask for fewer at once, or for less of each.`,
    ),
  siteFileNotFound: (namespace: string, id: string, path: string) =>
    new PerchError(
      'NOT_FOUND',
      `The site /${namespace}/${id} has no file "${path.slice(0, 200)}". Check the path.`,
      { missing: { partOf: 'site', namespace, id, part: path.slice(0, 200) } },
    ),
  /** A part of an item that has none. */
  partNotFound: (namespace: string, id: string, part: string) =>
    new PerchError(
      'NOT_FOUND',
      `/${namespace}/${id} has no part "${part.slice(0, 200)}". Only sites and stores have parts.`,
      { missing: { partOf: 'item', namespace, id, part: part.slice(0, 200) } },
    ),
  keyNotFound: (namespace: string, id: string, key: string) =>
    new PerchError(
      'NOT_FOUND',
      `The store /${namespace}/${id} has no key "${key.slice(0, 100)}". Its address lists the keys it has.`,
      { missing: { partOf: 'store', namespace, id, part: key.slice(0, 100) } },
    ),
  keyLimitReached: (limit: number) =>
    new PerchError(
      'KV_KEY_LIMIT',
      `The store has ${limit} keys, which is the limit. Delete a key, or create another store.`,
    ),
  limitReached: (what: string, limit: number) =>
    new PerchError(
      'LIMIT_REACHED',
      `There are ${limit} ${what} already, which is the limit. Delete some, or use another namespace.`,
    ),
  notAWholeNumber: () =>
    new PerchError(
      'VALUE_MISMATCH',
      'The value of this key is not a whole number, so it cannot be incremented. PUT a number first, or use another key.',
    ),
  numberTooLarge: () =>
    new PerchError(
      'VALUE_MISMATCH',
      `The number would leave the range of exact whole numbers, -${Number.MAX_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}. Nothing was changed.`,
    ),
  notAppendable: () =>
    new PerchError(
      'VALUE_MISMATCH',
      'A text can be appended to a text, and any value to a list; the value of this key is neither of these. PUT a list or a text first, or use another key.',
    ),
  hostingChanged: (version: number) =>
    new PerchError(
      'HOSTING_CHANGED',
      `Where the item is served has changed since you read it: its hostingVersion is ${version}. Read it again, then repeat the change.`,
    ),
  findingChanged: (namespace: string, id: string) =>
    new PerchError(
      'FINDING_CHANGED',
      `The content of /${namespace}/${id}, or what was found in it, has changed since you looked at it. Nothing was released. Look at it again.`,
    ),
  domainTaken: (domain: string) =>
    new PerchError(
      'DOMAIN_TAKEN',
      `Another item has ${domain}, and its TXT record is still there. Remove that record where the domain's records are kept, then ask again.`,
    ),
  domainLimitReached: (limit: number) =>
    new PerchError(
      'LIMIT_REACHED',
      `Your token has ${limit} domains already, which is the limit. Take one away from its item first.`,
    ),
  domainNotFound: (namespace: string, id: string) =>
    new PerchError('NOT_FOUND', `/${namespace}/${id} has no domain. PUT one here first.`),
  domainsDisabled: () =>
    new PerchError(
      'DOMAINS_DISABLED',
      'This server serves no domains of others. Its operator can set CUSTOM_DOMAINS.',
    ),
  domainChecksSpent: (retryAfter: number) =>
    new PerchError(
      'RATE_LIMITED',
      `Name servers were asked about this item's domain often enough for now. Try again ${inSeconds(retryAfter)}.`,
      { retryAfter },
    ),
  preconditionFailed: () =>
    new PerchError(
      'PRECONDITION_FAILED',
      'The item has changed since you read it: its ETag is not one of If-Match. Read it again, then repeat the change.',
    ),
  modifiedSince: () =>
    new PerchError(
      'PRECONDITION_FAILED',
      'The content has changed since the date of If-Unmodified-Since. Omit it to read what is there.',
    ),
  keyTaken: () =>
    new PerchError(
      'PRECONDITION_FAILED',
      'The key is there already, and "If-None-Match: *" asks for a new one. Omit it to change what is there.',
    ),
  jsonTaken: () =>
    new PerchError(
      'PRECONDITION_FAILED',
      'The document is there already, and "If-None-Match: *" asks for a new one. Omit it to change what is there.',
    ),
  rangeNotSatisfiable: (size: number) =>
    new PerchError(
      'RANGE_NOT_SATISFIABLE',
      `The range lies outside of the content, which has ${size} bytes.`,
      { size },
    ),
  unsupportedMediaType: (message: string) => new PerchError('UNSUPPORTED_MEDIA_TYPE', message),
  /** A program among the files of a site, by its name. */
  programExtension: (path: string) =>
    new PerchError('UNSUPPORTED_MEDIA_TYPE', `The site has a program in it: "${path}". Leave it out.`, {
      details: [{ field: path, message: 'has the extension of a program, which a site may not have.' }],
    }),
  /** A program among the files of a site, by its content. */
  programContent: (path: string, what: string) =>
    new PerchError('CONTENT_REJECTED', `The site has a program in it: "${path}" is ${what}. Leave it out.`, {
      details: [{ field: path, message: `is ${what}, which a site may not have.` }],
    }),
  /** @param part the file of a site; `null`: the content itself */
  linkBlocked: (host: string, part: string | null) =>
    new PerchError(
      'LINK_BLOCKED',
      `The page links to ${host.slice(0, 200)}, which the operator of this server does not let pages link to. Take the link out. If it is a mistake, tell the operator.`,
      { details: [{ field: part ?? 'content', message: `links to ${host.slice(0, 200)}.` }] },
    ),
  /** Told to readers: what was found is for the owner alone. */
  quarantined: (namespace: string, id: string) =>
    new PerchError(
      'QUARANTINED',
      `What is at /${namespace}/${id} is in quarantine, as a check of its content found something. Its owner and the operator of this server know more.`,
    ),
  /** Told to readers of what is about to be looked through. */
  notScannedYet: (namespace: string, id: string) =>
    new PerchError(
      'BEING_CHECKED',
      `What is at /${namespace}/${id} is still being checked. Try again in a few seconds.`,
      { retryAfter: 5, isRefusal: true },
    ),
  nothingScans: () =>
    invalid('VALIDATION_FAILED', [
      {
        field: 'rescan',
        message: 'needs a scanner (CLAMD_URL) or a blocklist of links (LINK_BLOCKLIST).',
      },
    ]),
  /** Answers uploads that have to be looked through first. */
  scannerAway: (cause?: unknown) =>
    new PerchError(
      'UNAVAILABLE',
      'New content has to be checked before it is published, and the scanner does not answer right now. Nothing was published. Try again in a minute.',
      { retryAfter: 30, cause },
    ),
  contentRejected: (message: string) => new PerchError('CONTENT_REJECTED', message),
  rateLimited: (what: string, retryAfter: number) =>
    new PerchError(
      'RATE_LIMITED',
      `Too many ${what} from your address. Try again ${inSeconds(retryAfter)}.`,
      {
        retryAfter,
      },
    ),
  unavailable: (what: string, cause?: unknown) => notNow(what, { cause }),
  /** Work was under way when the connection to whoever does it was lost. */
  cutOff: (what: string, cause?: unknown) =>
    new PerchError('UNAVAILABLE', `A connection was lost meanwhile (${what}). ${MAY_BE_DONE}`, {
      retryAfter: 2,
      cause,
      mayBeDone: true,
    }),
  /** Work is refused that `shared/load-shedding.ts` has counted. */
  refused: (what: string, cause?: unknown) => notNow(what, { cause, isRefusal: true }),
  /** Room comes when an operator makes some: who tries again each second only fills logs. */
  storageFull: (what: string, cause?: unknown) =>
    new PerchError(
      'STORAGE_FULL',
      `The service has no room left for this (${what}). What is there can be read. Try again later.`,
      {
        retryAfter: 30,
        cause,
      },
    ),
  /** Work was given up before it changed anything. */
  timeout: (what: string, cause?: unknown) =>
    late(`It was not done in time (${what}). Try again.`, { cause }),
  /** The answer to work did not come. */
  unanswered: (what: string, cause?: unknown) =>
    late(`No answer came in time (${what}). ${MAY_BE_DONE}`, { cause, mayBeDone: true }),
  internal: (cause: unknown) =>
    new PerchError(
      'INTERNAL',
      'Something went wrong on our side. Try again; quote the request id if it persists.',
      {
        cause,
      },
    ),
};
