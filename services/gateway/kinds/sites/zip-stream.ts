import { makeZip, predictLength } from 'client-zip';
import type { SiteFile } from '../../../../shared/items/site-index.ts';

/** Bytes of the ZIP that `zipStream` makes. */
export const zipLength = (files: SiteFile[]): bigint =>
  predictLength(files.map(({ path, length }) => ({ name: path, size: length })));

/**
 * Makes a ZIP of the files of a site while their bytes come, which are stored as they are. Holds a chunk at a time, and
 * reads on only when more is asked for.
 * @param files in the order of their offsets, without gaps
 * @param source their bytes, back to back
 */
export function zipStream(
  files: SiteFile[],
  source: ReadableStream<Uint8Array>,
  lastModified: Date,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const zip = makeZip(entriesOf(files, reader, lastModified)).getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await zip.read();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      // The library does not tell its source that nobody reads any more.
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
}

async function* entriesOf(files: SiteFile[], reader: Reader, lastModified: Date) {
  let rest: Uint8Array = new Uint8Array();

  async function* take(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      if (rest.length === 0) {
        const next = await reader.read();
        if (next.done || next.value === undefined) throw new Error('a site ended before its files did');
        rest = next.value;
      }
      const piece = rest.subarray(0, left);
      rest = rest.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }

  for (const { path, length } of files) {
    const input = length === 0 ? new Uint8Array() : take(length);
    yield { name: path, size: length, lastModified, input };
  }
  // Its end gives the source's place back.
  await reader.read();
}
