import { Type } from '@sinclair/typebox';
import type { ErrorCode } from '../../../shared/perch-error.ts';
import { errorSample } from './error-samples.ts';
import { type HeaderName, headers, RATE_LIMIT } from './headers.ts';
import {
  exampleRef,
  type MediaType,
  type Reference,
  type Response,
  type Responses,
  schemaRef,
} from './operation.ts';

const DESCRIPTIONS: Record<number, string> = {
  400: 'The request is not right.',
  401: 'The admin password is missing or wrong.',
  403: 'The owner token or the password is missing or wrong, or the client is blocked.',
  404: 'There is nothing here, or it has expired.',
  405: 'This address has other methods, which `Allow` names.',
  409: 'Something else is in the way.',
  410: 'It was in `public`, and has expired or was removed.',
  412: 'A precondition does not hold.',
  415: 'The body has a type that is not supported here.',
  416: 'The range lies outside of the content.',
  422: 'The body was understood, but its content cannot be taken.',
  429: 'Too many requests from your address.',
  451: 'It is in quarantine: a check of its content found something.',
  500: 'Our fault.',
  503: 'A part of the service is away, or has no room left.',
  504: 'A part of the service took too long.',
};

/** Headers that errors of a status have, besides those of every error. */
const EXTRA_HEADERS: Record<number, HeaderName[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
  504: ['Retry-After'],
};

/** Error codes of every operation for the operator only. */
export const ADMIN_CODES = [
  ...(['ADMIN_UNAUTHORIZED', 'ADMIN_DISABLED', 'CROSS_SITE_FORBIDDEN', 'RATE_LIMITED'] as const),
] satisfies ErrorCode[];

/** Error codes of a body that is to be a JSON object of known fields. */
export const JSON_BODY_CODES = [
  ...(['VALIDATION_FAILED', 'JSON_INVALID', 'UNSUPPORTED_MEDIA_TYPE'] as const),
] satisfies ErrorCode[];

/** Error codes of every change that only an item's owner may make. */
export const OWNER_CODES = [
  ...(['CLIENT_BLOCKED', 'OWNER_TOKEN_REQUIRED', 'OWNER_TOKEN_WRONG', 'NOT_FOUND', 'RATE_LIMITED'] as const),
] satisfies ErrorCode[];

/** Error codes of every read of an item that may have a password. */
export const READER_CODES = [
  ...(['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND', 'RATE_LIMITED'] as const),
] satisfies ErrorCode[];

/** Error codes that every create can fail with. */
export const CREATE_CODES: ErrorCode[] = [
  ...(['VALIDATION_FAILED', 'NAMESPACE_INVALID', 'NAMESPACE_RESERVED', 'ID_INVALID', 'TTL_INVALID'] as const),
  ...([
    'OWNER_TOKEN_INVALID',
    'CLIENT_BLOCKED',
    'CONTENT_BLOCKED',
    'ID_TAKEN',
    'UNSUPPORTED_MEDIA_TYPE',
    'RATE_LIMITED',
  ] as const),
];

/** Errors with a shared response: no other error has their status. */
const SHARED: Array<[name: ErrorCode, ...others: ErrorCode[]]> = [
  ['RATE_LIMITED'],
  ['INTERNAL'],
  ['UNAVAILABLE', 'STORAGE_FULL', 'BEING_CHECKED'],
  ['TIMEOUT'],
];

const sharedFailure = (code: ErrorCode, page: boolean): Reference => ({
  $ref: `#/components/responses/${code}${page ? '.page' : ''}`,
});

export interface FailureOptions {
  /** Whether a browser gets the error as a page instead of JSON, as people follow links to this address. */
  page?: boolean;
  /** Whether the operation needs no User-Agent. */
  open?: boolean;
  /** Whether the gateway answers without calling any service. */
  local?: boolean;
}

/** Error responses by status: those of these codes, and those that every operation has. */
export function failures(codes: readonly ErrorCode[], options: FailureOptions = {}): Responses {
  const { page = false, open = false, local = false } = options;
  const all: ErrorCode[] = [
    ...codes,
    // For a Host header that is missing or names no host.
    'VALIDATION_FAILED',
    ...(open ? [] : (['USER_AGENT_REQUIRED'] as const)),
    'INTERNAL',
    ...(local ? [] : (['UNAVAILABLE', 'TIMEOUT'] as const)),
  ];
  const byStatus = Map.groupBy(all, (code) => errorSample(code).status);
  return Object.fromEntries(
    [...byStatus].map(([status, found]) => {
      const shared = SHARED.find(([name]) => errorSample(name).status === status);
      return [status, shared === undefined ? failure(status, found, page) : sharedFailure(shared[0], page)];
    }),
  );
}

/** The error response of one status, which has one of these codes. */
export function failure(status: number, codes: readonly ErrorCode[], page = false): Response {
  const names = [...new Set(codes.map((code) => errorSample(code).code))];
  const schema = Type.Unsafe({
    allOf: [
      schemaRef('Error'),
      { type: 'object', properties: { status: { const: status }, code: { enum: names } } },
    ],
  });
  const json: MediaType = {
    schema,
    examples: Object.fromEntries(codes.map((code) => [code, exampleRef(code)])),
  };
  const own = page ? PAGE_HEADERS : [];
  return {
    description: DESCRIPTIONS[status] ?? names.join(', '),
    headers: headers(['Cache-Control', ...(EXTRA_HEADERS[status] ?? [])], [...RATE_LIMIT, ...own]),
    content: { 'application/json': json, ...(page ? { 'text/html': ERROR_PAGE } : {}) },
  };
}

/** Headers of the service's own pages. */
const PAGE_HEADERS: HeaderName[] = ['Content-Security-Policy', 'X-Frame-Options', 'Referrer-Policy', 'Vary'];

/** One of the service's own pages, as a body. */
const pageBody = (title: string): MediaType => ({
  schema: Type.String({ pattern: '^<!doctype html>' }),
  examples: { page: { value: `<!doctype html>\n<html lang="en"><title>${title}</title></html>\n` } },
});

const ERROR_PAGE = pageBody('Not Found');

/** One of the service's own pages, as an answer. */
export const ownPage = (description: string, title: string): Response => ({
  description,
  headers: headers(['Cache-Control', ...PAGE_HEADERS], ['Content-Encoding', ...RATE_LIMIT]),
  content: { 'text/html': pageBody(title) },
});

/** Under `#/components/responses`; those of addresses that people visit come as a page, too. */
export const SHARED_FAILURES: Record<string, Response> = Object.fromEntries(
  SHARED.flatMap((codes) => {
    const [name] = codes;
    const { status } = errorSample(name);
    return [
      [name, failure(status, codes)],
      [`${name}.page`, failure(status, codes, true)],
    ];
  }),
);
