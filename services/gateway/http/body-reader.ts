import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { within } from '../../../shared/deadline.ts';
import { errors } from '../../../shared/errors.ts';
import { PerchError } from '../../../shared/perch-error.ts';
import { drainBeforeClose } from './drain-body.ts';
import type { RequestContext } from './request-context.ts';

export interface BodyLimit {
  /** Most bytes that are read. */
  bytes: number;
  tooLarge(): PerchError;
  /** Most bytes that one byte of gzip may become, beyond a first part: `MAX_RATIO` when left out. */
  ratio?: number;
}

/** How fast a client has to send a body. Only the time in which the gateway waits for its bytes counts. */
export interface BodyPace {
  /** In each window of so many ms of waiting for the client … */
  windowMs: number;
  /** … so many bytes have to come, or the end of the body. */
  minBytes: number;
  /** Longest in all, in ms. */
  totalMs: number;
}

/** About 1 KB a second: less than any connection has that a person would use. */
const MIN_PACE = { windowMs: 15_000, minBytes: 16_384 };

/** Pace of a body that is held in memory. */
export const HELD_PACE: BodyPace = { ...MIN_PACE, totalMs: 300_000 };

/** Pace of a body that goes to the disk as it comes. */
export const SPOOLED_PACE: BodyPace = { ...MIN_PACE, totalMs: 1_800_000 };

/** A request body as it arrives. The caller must read it to its end or cancel it. */
export interface BodyReader {
  /** Bytes as the client announced them, `null` when it did not. */
  declared: number | null;
  /**
   * The next bytes, `null` at the end.
   * @throws the limit's error; VALIDATION_FAILED when the client broke off or is too slow
   */
  next(): Promise<Uint8Array | null>;
  /** All of a small body of a declared length, instead of `next`. @throws what `next` throws */
  all(): Promise<Uint8Array>;
  /** Discards the rest of the body, as `drainBeforeClose` does where the connection closes, and ends a `next` under way. Idempotent. */
  cancel(): Promise<void>;
}

/**
 * Opens a request's body; one in gzip is uncompressed as it is read.
 * @throws the limit's error for what is announced as larger; UNSUPPORTED_MEDIA_TYPE for another encoding
 */
export function openBody(
  { request, fastPathWrite }: Pick<RequestContext, 'request' | 'fastPathWrite'>,
  limit: BodyLimit,
  pace: BodyPace,
): BodyReader {
  if (!isCompressed(request)) return openAsSent(request, limit, pace, fastPathWrite?.body);
  return gunzipped(openAsSent(request, { ...limit, bytes: compressedLimit(limit.bytes) }, pace), limit);
}

/** @param begun the body, if somebody has begun to read all of it */
function openAsSent(
  request: Request,
  limit: BodyLimit,
  pace: BodyPace,
  begun?: Promise<ArrayBuffer>,
): BodyReader {
  const declared = declaredLength(request);
  if (declared !== null && declared > limit.bytes) throw limit.tooLarge();
  let reader: ReturnType<typeof readerOf>;
  let size = 0;
  let startedAt: number | null = null;
  /** Bytes that came in the window that is open, and how long they were waited for. */
  let windowBytes = 0;
  let waitedMs = 0;

  return {
    declared,
    async next() {
      const askedAt = performance.now();
      startedAt ??= askedAt;
      reader ??= readerOf(request);
      const leftMs = startedAt + pace.totalMs - askedAt;
      const windowLeftMs = pace.windowMs - waitedMs;
      const tooSlow = () => (leftMs > windowLeftMs ? belowPace(pace, windowBytes) : tooLong(pace.totalMs));
      // Reading fails only with the connection; how it says so differs.
      const read = reader?.read().catch(() => {
        throw brokenOff();
      });
      const chunk = await within(Promise.resolve(read), Math.min(windowLeftMs, leftMs), tooSlow);
      if (chunk === undefined || chunk.done) {
        if (request.signal.aborted || (declared !== null && size !== declared)) throw brokenOff();
        return null;
      }
      size += chunk.value.length;
      if (size > limit.bytes) throw limit.tooLarge();
      windowBytes += chunk.value.length;
      waitedMs += performance.now() - askedAt;
      if (windowBytes >= pace.minBytes) windowBytes = waitedMs = 0;
      return chunk.value;
    },
    async all() {
      const taken = begun ?? request.arrayBuffer();
      // Most small bodies came along with their headers: then there is nothing to wait for.
      const isHere = Bun.peek.status(taken) === 'fulfilled';
      const read = taken.catch(() => {
        throw brokenOff();
      });
      // How much of it has come cannot be seen: it has the time that it may take at the least pace.
      const limitMs = pace.windowMs * Math.max(1, Math.ceil((declared ?? 0) / pace.minBytes));
      const bytes = await (isHere ? read : within(read, limitMs, () => tooSlowInAll(limitMs)));
      if (request.signal.aborted || bytes.byteLength !== declared) throw brokenOff();
      return new Uint8Array(bytes);
    },
    async cancel() {
      // One that is taken in one go can no longer be cancelled: the server drops it with the answer.
      if (reader === undefined && !request.bodyUsed) reader = readerOf(request);
      await drainBeforeClose(request, reader);
      await reader?.cancel().catch(() => undefined);
    },
  };
}

const readerOf = (request: Request) => request.body?.getReader();

/** `null` when the client announced no length. @throws VALIDATION_FAILED */
function declaredLength(request: Request): number | null {
  const header = request.headers.get('content-length');
  if (header === null) return null;
  // The server joins headers that came twice, and takes them when they are alike (RFC 9112, section 6.3).
  const [first = '', ...others] = header.split(',').map((one) => one.trim());
  const length = /^\d+$/.test(first) ? Number(first) : Number.NaN;
  if (!Number.isSafeInteger(length) || others.some((other) => other !== first)) {
    throw bodyIssue('has no valid Content-Length.');
  }
  return length;
}

/** Whether the body is in gzip. @throws UNSUPPORTED_MEDIA_TYPE for any other encoding */
function isCompressed({ headers }: Request): boolean {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return false;
  if (encoding === 'gzip' || encoding === 'x-gzip') return true;
  throw errors.unsupportedMediaType(
    `Content-Encoding "${encoding.slice(0, 40)}" is not supported: send the body as it is, or in gzip.`,
  );
}

/** The length of the body as it will be read; `null` where it is not known before. @throws VALIDATION_FAILED */
export const expectedLength = (request: Request): number | null =>
  isCompressed(request) ? null : declaredLength(request);

/** A validation error of the body itself. */
export const bodyIssue = (message: string): PerchError =>
  errors.validationFailed([{ field: 'body', message }]);

const belowPace = ({ windowMs, minBytes }: BodyPace, bytes: number): PerchError =>
  bodyIssue(
    `arrives too slowly: ${bytes} bytes came in ${windowMs / 1000} seconds, and at least ${minBytes} have to. Send it again.`,
  );

const tooSlowInAll = (ms: number): PerchError =>
  bodyIssue(`arrives too slowly: it did not come in ${ms / 1000} seconds. Send it again.`);

const tooLong = (ms: number): PerchError => bodyIssue(`took longer than ${ms / 60_000} minutes to arrive.`);

const brokenOff = (): PerchError => bodyIssue('ended before it was complete; send it again.');

/** How many bytes one compressed byte may become, beyond a first part: text of people becomes ten, of machines fifty. */
const MAX_RATIO = 200;
/** Bytes that may come whatever the ratio. */
const FREE_BYTES = 1_048_576;

/** Most bytes of a body in gzip that becomes at most so many: what cannot be compressed grows a little. */
const compressedLimit = (bytes: number): number => bytes + Math.ceil(bytes / 1_000) + 1_024;

/**
 * A body in gzip as it is uncompressed, piece by piece: no more of it is in memory than a piece.
 * @param compressed the body as it arrives, with the pace and the errors of its reading
 * @throws while it is read: the limit's error; an error with its code for a bomb, whose few bytes become far more;
 * VALIDATION_FAILED for what is no gzip, or has anything behind it; what reading throws
 */
function gunzipped(compressed: BodyReader, limit: BodyLimit): BodyReader {
  const { ratio = MAX_RATIO } = limit;
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
      if (piece.done === true) {
        // At a zero behind a member Node ends the stream, and leaves all that follows unread.
        if (gunzip.bytesWritten !== received) throw notGzip();
        return null;
      }
      size += piece.value.length;
      if (size > limit.bytes) throw limit.tooLarge();
      if (size > FREE_BYTES + ratio * received) throw errors.tooDense(limit.tooLarge().code, ratio);
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

const notGzip = (): PerchError =>
  bodyIssue('is said to be gzip, and is not, is cut off or has something behind its end.');
