import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';

/** The size and hash that a complete file must have. */
export interface FileDigest {
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
export async function writeWithDigest(path: string, source: AsyncIterable<Uint8Array>): Promise<FileDigest> {
  const file = await open(path, 'wx', 0o600);
  try {
    const digester = createDigester();
    for await (const chunk of gather(source)) {
      digester.take(chunk);
      await file.writeFile(chunk);
    }
    await file.sync();
    return digester.digest();
  } finally {
    await file.close();
  }
}

export async function digestOf(path: string): Promise<FileDigest> {
  const digester = createDigester();
  for await (const chunk of createReadStream(path, { highWaterMark: GATHERED })) digester.take(chunk);
  return digester.digest();
}

/** Computes the digest of a file from its chunks. */
export function createDigester(): { take(chunk: Uint8Array): void; digest(): FileDigest } {
  const hash = createHash('sha256');
  let bytes = 0;
  let lines = 0;
  return {
    take(chunk) {
      hash.update(chunk);
      bytes += chunk.length;
      for (let at = chunk.indexOf(LINE_BREAK); at >= 0; at = chunk.indexOf(LINE_BREAK, at + 1)) lines += 1;
    },
    digest: () => ({ bytes, lines, sha256: hash.digest('hex') }),
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
