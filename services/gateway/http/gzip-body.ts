import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { errors, PerchError } from '../../../shared/errors.ts';
import type { BodyLimit, BodyReader } from './body-reader.ts';

/** How many bytes one compressed byte may become, beyond a first part: text of people becomes ten, of machines fifty. */
const MOST_RATIO = 200;
/** Bytes that may come whatever the ratio. */
const FREE_BYTES = 1_048_576;

/** Most bytes of a body in gzip that becomes at most so many: what cannot be compressed grows a little. */
export const compressedLimit = (bytes: number): number => bytes + Math.ceil(bytes / 1_000) + 1_024;

/**
 * A body in gzip as it is uncompressed, piece by piece: no more of it is in memory than a piece.
 * @param compressed the body as it arrives, with the pace and the errors of its reading
 * @throws while it is read: the limit's error, also for a bomb, whose few bytes become far more; VALIDATION_FAILED for what is
 * no gzip; what reading throws
 */
export function gunzipped(compressed: BodyReader, limit: BodyLimit): BodyReader {
  let received = 0;
  let size = 0;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let chunk = await compressed.next(); chunk !== null; chunk = await compressed.next()) {
      received += chunk.length;
      yield chunk;
    }
  }
  const source = Readable.from(pieces(), { objectMode: false, highWaterMark: 65_536 });
  const gunzip = createGunzip();
  // An error of reading is that of the whole: `pipe` alone would let it go.
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  const output: AsyncIterator<Uint8Array> = gunzip[Symbol.asyncIterator]();

  return {
    declared: null,
    async next() {
      const piece = await output.next().catch((error: unknown) => {
        throw error instanceof PerchError ? error : notGzip();
      });
      if (piece.done === true) return null;
      size += piece.value.length;
      if (size > limit.bytes || size > FREE_BYTES + MOST_RATIO * received) throw limit.tooLarge();
      return piece.value;
    },
    async all() {
      throw new Error('a compressed body has no declared length');
    },
    async cancel() {
      source.destroy();
      gunzip.destroy();
      await compressed.cancel();
    },
  };
}

const notGzip = () =>
  errors.validationFailed([{ field: 'body', message: 'is said to be gzip, and is not or is cut off.' }]);
