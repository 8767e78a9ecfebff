import { Type } from '@sinclair/typebox';
import { errors } from '../../../shared/errors.ts';
import type { ErrorCode, PerchError } from '../../../shared/perch-error.ts';
import { errorBody } from '../http/error-status.ts';
import { type Example, schemaRef } from './operation.ts';

/** One error of each code, worded by the catalogue itself. */
const SAMPLES: Record<ErrorCode, PerchError> = {
  VALIDATION_FAILED: errors.validationFailed([{ field: 'title', message: 'has at most 200 characters.' }]),
  JSON_INVALID: errors.jsonInvalid('see line 1, column 8'),
  NAMESPACE_INVALID: errors.invalid('NAMESPACE_INVALID', [
    { field: 'ns', message: 'has 3 to 32 characters out of a-z, 0-9 and the hyphen.' },
  ]),
  NAMESPACE_RESERVED: errors.invalid('NAMESPACE_RESERVED', [
    {
      field: 'ns',
      message: '"admin" is reserved for the service. Choose another, or leave it out.',
    },
  ]),
  ID_INVALID: errors.invalid('ID_INVALID', [
    { field: 'id', message: 'has 1 to 64 characters, and starts with a letter or digit.' },
  ]),
  TTL_INVALID: errors.invalid('TTL_INVALID', [
    { field: 'ttl', message: 'must be a whole number of days from 1 to 30, such as 7, "7d" or "7 days".' },
  ]),
  USER_AGENT_REQUIRED: errors.userAgentRequired(),
  OWNER_TOKEN_REQUIRED: errors.ownerTokenRequired(),
  OWNER_TOKEN_BLANK: errors.ownerTokenBlank(),
  OWNER_TOKEN_INVALID: errors.ownerTokenInvalid('a token has 16 to 512 characters.'),
  OWNER_TOKEN_WRONG: errors.ownerTokenWrong(),
  PASSWORD_REQUIRED: errors.passwordRequired(),
  PASSWORD_WRONG: errors.passwordWrong(),
  ADMIN_UNAUTHORIZED: errors.adminUnauthorized(),
  ADMIN_DISABLED: errors.adminDisabled(),
  CLIENT_BLOCKED: errors.clientBlocked(),
  CONTENT_BLOCKED: errors.contentBlocked(),
  CROSS_SITE_FORBIDDEN: errors.crossSiteForbidden(),
  NOT_FOUND: errors.contentNotFound('public', 'Ab3dE6gH9k'),
  METHOD_NOT_ALLOWED: errors.methodNotAllowed('PATCH', ['GET', 'HEAD', 'OPTIONS']),
  ID_TAKEN: errors.idTaken('team-notes', 'launch'),
  GONE: errors.contentGone('public', 'Ab3dE6gH9k'),
  KV_KEY_LIMIT: errors.keyLimitReached(1000),
  LIMIT_REACHED: errors.limitReached('files in this namespace', 1000),
  VALUE_MISMATCH: errors.notAWholeNumber(),
  HOSTING_CHANGED: errors.hostingChanged(2),
  FINDING_CHANGED: errors.findingChanged('public', 'Ab3dE6gH9k'),
  DOMAIN_TAKEN: errors.domainTaken('www.example.org'),
  DOMAINS_DISABLED: errors.domainsDisabled(),
  PRECONDITION_FAILED: errors.preconditionFailed(),
  RANGE_NOT_SATISFIABLE: errors.rangeNotSatisfiable(2048),
  TOO_LARGE: errors.tooLarge('The file', 5 * 1_048_576),
  PAGE_TOO_LARGE: errors.pageTooLarge(5 * 1_048_576),
  UNSUPPORTED_MEDIA_TYPE: errors.unsupportedMediaType(
    'The Content-Type "image/png" is not supported here. Send one of those that this operation lists.',
  ),
  CONTENT_REJECTED: errors.contentRejected('The content contains a NUL character, so it is not text.'),
  LINK_BLOCKED: errors.linkBlocked('phishing.example', null),
  BEING_CHECKED: errors.notScannedYet('public', 'Ab3dE6gH9k'),
  QUARANTINED: errors.quarantined('public', 'Ab3dE6gH9k'),
  RATE_LIMITED: errors.rateLimited('creates, reports and new owner tokens', 1800),
  INTERNAL: errors.internal(null),
  UNAVAILABLE: errors.unavailable('the store of contents does not answer'),
  STORAGE_FULL: errors.storageFull('database'),
  TIMEOUT: errors.unanswered('content.create-html'),
};

const CODES = Object.keys(SAMPLES) as ErrorCode[];

/** The body of an error of a code, as a client gets it. */
export const errorSample = (code: ErrorCode) => ({
  ...errorBody(SAMPLES[code], 'V1StGXR8_Z5jdHi6'),
  timestamp: '2026-11-21T07:20:21.000Z',
});

const CODE_NAMES = [...new Set(CODES.map((code) => errorSample(code).code))];

/** Specification 22.1. */
export const ErrorSchema = Type.Object(
  {
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'The same as the HTTP status.' }),
    code: Type.Unsafe<string>({
      type: 'string',
      enum: CODE_NAMES,
      description: 'What to tell errors apart by.',
    }),
    error: Type.String({ minLength: 1, description: "The status in HTTP's words." }),
    message: Type.String({ minLength: 1, description: 'What is wrong, and what to do.' }),
    details: Type.Optional(
      Type.Array(
        Type.Object({ field: Type.String(), message: Type.String() }, { additionalProperties: false }),
        { minItems: 1, description: 'Every issue that belongs to a field.' },
      ),
    ),
    supportedTypes: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        description: 'Of 415 and 422 to a create: the types that it takes.',
      }),
    ),
    result: Type.Optional(schemaRef('UploadResult')),
    timestamp: Type.String({ format: 'date-time' }),
    requestId: Type.String({ minLength: 1, description: 'The same as the header X-Request-Id.' }),
  },
  { additionalProperties: false, description: 'What every error looks like.' },
);

/** One for each code, under `#/components/examples`. */
export const ERROR_EXAMPLES: Record<string, Example> = Object.fromEntries(
  CODES.map((code) => [code, { summary: errorSample(code).code, value: errorSample(code) }]),
);
