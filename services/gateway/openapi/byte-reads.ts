import { bytes, notModified, partial, served } from './answers.ts';
import type { Responses } from './operation.ts';
import { CONDITIONS } from './parameters.ts';
import { failures } from './responses.ts';

/** Names of the parameters of a read of stored bytes, besides those that name the item and its reader. */
export const BYTE_READ = ['Download', 'Range', 'IfRange', 'IfMatchOfFile', ...CONDITIONS] as const;

/** Answers to a read of stored bytes, of which `summary` and `value` are an example. */
export const byteReadResponses = (summary: string, value: string): Responses => ({
  '200': served('The file.', bytes('*/*', summary, value), ['ETag'], ['Accept-Ranges']),
  ...partial(),
  ...notModified(['ETag'], ['Accept-Ranges']),
  ...failures([
    ...(['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND', 'QUARANTINED', 'PRECONDITION_FAILED'] as const),
    ...(['RANGE_NOT_SATISFIABLE', 'RATE_LIMITED'] as const),
  ]),
});
