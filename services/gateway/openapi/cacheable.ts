import { type HeaderName, headers } from './headers.ts';
import type { Responses } from './operation.ts';

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
