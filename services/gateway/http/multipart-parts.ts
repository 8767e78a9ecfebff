import { Dicer } from '@fastify/busboy';
import { type BodyReader, bodyIssue } from './body-reader.ts';
import { createPaddingFilter } from './boundary-padding.ts';

/** One part of a multipart body as it arrives. */
export interface Part {
  /** Headers by name in lower case; each character of a value is one byte. */
  headers: Record<string, string[]>;
  /** Can be read once. */
  body: AsyncIterable<Uint8Array>;
  /** Reads and discards the rest of the body. */
  skip(): Promise<void>;
}

/** The parts of one body, in their order. Each must be read or skipped before the next. */
export interface Parts {
  /** `null` after the last, once the whole body has arrived. @throws VALIDATION_FAILED, and what the body throws */
  next(): Promise<Part | null>;
  /** Cancels the body and discards what was read ahead. Idempotent. */
  cancel(): Promise<void>;
}

/** Most bytes of the headers of a part: room for a long path, percent-encoded. */
const HEADER_BYTES = 16_384;

/** Most bytes that are parsed at once. */
const SLICE = 65_536;

/**
 * Splits a body at its boundary (RFC 2046 section 5.1), reading only as far as the caller reads its parts.
 * Built on Dicer, the parser below busboy: busboy itself passes over malformed parts in silence, and reads small ones
 * ahead without bound.
 */
export function splitParts(body: BodyReader, boundary: string): Parts {
  const ready: Part[] = [];
  const streams = new Set<Dicer.PartStream>();
  let headless: Dicer.PartStream | null = null;
  let hasFinished = false;
  let isComplete = false;
  let failure: unknown = null;
  let waiting: Array<() => void> = [];

  const changed = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  /** Waits for a condition, or a failure. */
  const until = async (condition: () => boolean): Promise<void> => {
    while (!condition() && failure === null) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  const fail = (error: unknown): void => {
    failure ??= error;
    for (const stream of streams) stream.destroy();
    changed();
  };

  /** A reader that stops early leaves the stream as it is: Dicer does not expect parts that are destroyed. */
  async function* read(stream: Dicer.PartStream): AsyncGenerator<Uint8Array, void, void> {
    try {
      for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
        try {
          yield chunk;
        } finally {
          changed();
        }
      }
    } catch (error) {
      throw failure ?? error;
    }
  }
  const skip = async (stream: Dicer.PartStream): Promise<void> => {
    if (stream.readableEnded || stream.destroyed) return;
    for await (const _ of read(stream));
  };

  // Dicer's own backpressure may fail to resume a writer: part streams take any amount, and `feed` waits for readers.
  const partHwm = Number.MAX_SAFE_INTEGER;
  const config = { boundary, partHwm, maxHeaderPairs: 100, maxHeaderSize: 2 * HEADER_BYTES };
  const dicer = new Dicer(config)
    .on('part', (stream) => {
      // A part's stream fails together with the body; without a listener, its error event would end the process.
      stream.on('error', () => undefined);
      stream.once('close', () => streams.delete(stream));
      streams.add(stream);
      // An error thrown here ends the `dicer.write` under way.
      if (headless !== null) throw malformed();
      headless = stream;
      stream.once('header', (header) => {
        headless = null;
        const headers = header as Part['headers'];
        if (bytesOf(headers) > HEADER_BYTES)
          throw bodyIssue(`has a part with more than ${HEADER_BYTES} bytes of headers.`);
        ready.push({ headers, body: read(stream), skip: () => skip(stream) });
        changed();
      });
    })
    .on('error', () => fail(malformed()))
    .on('finish', () => {
      hasFinished = true;
      changed();
    });

  const withoutPadding = createPaddingFilter(boundary);
  const isRead = (): boolean => {
    for (const stream of streams) if (stream.readableLength > 0) return false;
    return ready.length === 0;
  };
  const feed = async (): Promise<void> => {
    for (let chunk = await body.next(); chunk !== null; chunk = await body.next()) {
      for (let start = 0; start < chunk.length; start += SLICE) {
        await until(isRead);
        if (failure !== null) return;
        for (const piece of withoutPadding(chunk.subarray(start, start + SLICE))) dicer.write(piece);
      }
    }
    dicer.end();
    await until(() => hasFinished);
    if (headless !== null) throw malformed();
    isComplete = true;
    changed();
  };
  const feeding = feed().catch(fail);

  return {
    async next() {
      await until(() => ready.length > 0 || isComplete);
      if (failure !== null) throw failure;
      const part = ready.shift() ?? null;
      changed();
      return part;
    },
    async cancel() {
      if (!isComplete) fail(new Error('nobody wants the rest'));
      await body.cancel();
      await feeding;
    },
  };
}

function bytesOf(headers: Part['headers']): number {
  let bytes = 0;
  for (const name in headers)
    for (const value of headers[name] ?? []) bytes += name.length + value.length + 4;
  return bytes;
}

const malformed = () =>
  bodyIssue(
    'is not valid multipart/form-data: a boundary, or the end of the body, is missing or in the wrong place.',
  );
