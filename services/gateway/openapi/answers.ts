import { Type } from '@sinclair/typebox';
import { CONTENT_HEADERS, type HeaderName, headers, RATE_LIMIT } from './headers.ts';
import { type MediaType, type Response, type Responses, schemaRef } from './operation.ts';
import { SAMPLE } from './samples.ts';

/** A JSON body under a schema of the components, with an example or several. */
export const json = (schema: string, examples: Record<string, unknown>): Record<string, MediaType> => ({
  'application/json': {
    schema: schemaRef(schema),
    examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])),
  },
});

/** Text of a type. */
export const text = (type: string, value: string, name = 'text'): Record<string, MediaType> => ({
  [type]: { schema: Type.String(), examples: { [name]: { value } } },
});

/** Bytes of whatever type was stored. */
export const bytes = (type: string, summary: string, value: string): Record<string, MediaType> => ({
  [type]: { schema: Type.Unsafe({}), examples: { bytes: { summary, value } }, 'x-stored-bytes': true },
});

/** 200 with a body, and the headers that it always and sometimes has. */
export const ok = (
  description: string,
  content: Record<string, MediaType>,
  [required, optional]: [required?: HeaderName[], optional?: HeaderName[]] = [],
): Response => ({
  description,
  headers: headers(required, [
    'Cache-Control',
    'Vary',
    'Content-Encoding',
    ...(optional ?? []),
    ...RATE_LIMIT,
  ]),
  content,
});

/** 201 for a create of any kind (specification 3.2). */
export const created = (content: Record<string, MediaType>, optional: HeaderName[] = []): Response => ({
  description:
    'It is there. With `Accept: text/plain` preferred over JSON, the body is its address alone and the token comes in `X-Owner-Token`.',
  headers: headers(['Location', 'Cache-Control'], ['X-Owner-Token', 'Vary', ...optional, ...RATE_LIMIT]),
  content: {
    ...content,
    'text/plain': {
      schema: Type.String({ pattern: '^https?://\\S+\\n$' }),
      examples: { address: { value: `${SAMPLE.url}\n` } },
    },
  },
});

/** 200 for a list of an owner. */
export const listed = (content: Record<string, MediaType>): Response =>
  ok('What your token owns in the namespace, newest first; nothing without a token.', content, [
    ['X-Total-Count'],
  ]);

/** 204 for what has been removed. */
export const REMOVED: Response = {
  description: 'It is gone.',
  headers: headers([], ['Cache-Control', ...RATE_LIMIT]),
};

/** Headers of content: those it has, and those it can have. */
const content = (required: HeaderName[]): [HeaderName[], HeaderName[]] => [
  ['Cache-Control', ...required],
  ['ETag', 'Last-Modified', 'X-Views', ...CONTENT_HEADERS],
];

/** 200 with stored content. */
export const served = (
  description: string,
  body: Record<string, MediaType>,
  required: HeaderName[] = [],
  optional: HeaderName[] = [],
): Response => {
  const [always, possible] = content(required);
  return ok(description, body, [always, [...possible, ...optional]]);
};

/** 304 for stored content. */
export const notModified = (required: HeaderName[] = ['ETag'], optional: HeaderName[] = []): Responses => {
  const [always, possible] = content(required);
  return {
    '304': {
      description: 'By `If-None-Match` or `If-Modified-Since` you have the current version.',
      headers: headers(always, [...possible, ...optional, ...RATE_LIMIT]),
    },
  };
};

/** 206 for a part of stored bytes. */
export const partial = (required: HeaderName[] = []): Responses => {
  const [always, possible] = content(['ETag', 'Accept-Ranges', 'Content-Range', ...required]);
  return {
    '206': {
      description: 'The part that `Range` asks for. Of several parts the answer is the whole, with 200.',
      headers: headers(always, [...possible, ...RATE_LIMIT]),
      content: bytes('*/*', 'The first bytes of a text', 'Launch'),
    },
  };
};

/** A redirection. */
export const redirect = (description: string, optional: HeaderName[] = []): Response => ({
  description,
  headers: headers(['Location'], ['Cache-Control', 'Vary', ...optional, ...RATE_LIMIT]),
});

/** Headers of a body that is fixed until the process ends: always there, and possible. */
export const CACHEABLE: [HeaderName[], HeaderName[]] = [
  ['ETag', 'Cache-Control', 'Vary'],
  ['Content-Encoding'],
];

/** 304 for such a body. */
export const unchanged = (): Responses => ({
  '304': {
    description: '`If-None-Match` names the current version: you have it.',
    headers: headers(...CACHEABLE),
  },
});
