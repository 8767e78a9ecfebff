import type { PathOf, Query } from './operation.ts';
import type { CallOptions, UploadOptions } from './transport.ts';
import { randomKey } from './upload-body.ts';

/** The options of a create besides its content: the operation's query, and the values that are sent as headers. */
export type CreateOptions<P extends PathOf<'post'>> = Query<'post', P> &
  CallOptions &
  UploadOptions & {
    /** Makes a repetition of this create harmless, also after a restart of this program; a random one when left out. */
    idempotencyKey?: string | undefined;
  };

/** The query, headers and call of a create. */
export function splitCreate<P extends PathOf<'post'>>(options: CreateOptions<P>) {
  const { signal, ownerToken, password, onProgress, idempotencyKey = randomKey(), ...query } = options;
  return {
    query,
    headers: { 'Idempotency-Key': idempotencyKey },
    call: { signal, ownerToken, password, onProgress },
  };
}
