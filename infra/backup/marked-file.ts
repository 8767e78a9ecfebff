import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** The size and hash that a complete file must have. */
export interface FileMark {
  bytes: number;
  /** How many line breaks it holds: one a row in PostgreSQL's text format. */
  lines: number;
  /** In hexadecimal. */
  sha256: string;
}

/** Bytes written at once: rows come one by one. */
const GATHERED = 262_144;
const LINE_BREAK = 0x0a;

/** Writes a new file that only its owner can read, and syncs it. */
export async function writeMarked(path: string, source: AsyncIterable<Uint8Array>): Promise<FileMark> {
  const file = await open(path, 'wx', 0o600);
  try {
    const meter = createMeter();
    for await (const chunk of gather(source)) {
      meter.take(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
    return meter.mark();
  } finally {
    await file.close();
  }
}

export async function markOf(path: string): Promise<FileMark> {
  const meter = createMeter();
  for await (const chunk of createReadStream(path, { highWaterMark: GATHERED })) meter.take(chunk);
  return meter.mark();
}

/** Measures what passes. */
export function createMeter(): { take(chunk: Uint8Array): void; mark(): FileMark } {
  const hash = createHash('sha256');
  let bytes = 0;
  let lines = 0;
  return {
    take(chunk) {
      hash.update(chunk);
      bytes += chunk.length;
      for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, at + 1)) lines += 1;
    },
    mark: () => ({ bytes, lines, sha256: hash.digest('hex') }),
  };
}

async function* gather(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length < GATHERED) continue;
    yield Buffer.concat(chunks, length);
    chunks = [];
    length = 0;
  }
  if (length > 0) yield Buffer.concat(chunks, length);
}
