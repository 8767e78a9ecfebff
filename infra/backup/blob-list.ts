import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A blob of the backup. */
export interface ListedBlob {
  key: string;
  size: number;
  /** In hexadecimal. */
  sha256: string;
}

export const toLine = ({ key, size, sha256 }: ListedBlob): string => `${key}\t${size}\t${sha256}\n`;

/** A file of tab-separated columns, a line at a time. */
export async function* readLines(path: string): AsyncGenerator<string[]> {
  const source = createReadStream(path);
  try {
    for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY }))
      yield line.split('\t');
  } finally {
    source.destroy();
  }
}

export async function* readBlobList(path: string): AsyncGenerator<ListedBlob> {
  for await (const [key = '', size, sha256 = ''] of readLines(path))
    yield { key, size: Number(size), sha256 };
}

/** Looks up keys in a sorted list; keys have to be asked for in the list's order. */
export function createLookup(list: AsyncIterator<ListedBlob>): (key: string) => Promise<ListedBlob | null> {
  let next = list.next();
  return async (key) => {
    for (;;) {
      const found = await next;
      if (found.done === true || found.value.key > key) return null;
      next = list.next();
      if (found.value.key === key) return found.value;
    }
  };
}

/** Works on what comes, so many at a time, and gives the results in order. */
export async function* inWindows<T, R>(
  source: AsyncIterable<T>,
  width: number,
  work: (one: T) => Promise<R>,
): AsyncGenerator<R> {
  let window: T[] = [];
  for await (const one of source) {
    window.push(one);
    if (window.length < width) continue;
    yield* await Promise.all(window.map(work));
    window = [];
  }
  yield* await Promise.all(window.map(work));
}
