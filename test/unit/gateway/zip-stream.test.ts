import { describe, expect, test } from 'bun:test';
import { strFromU8, unzipSync } from 'fflate';
import { zipLength, zipStream } from '../../../services/gateway/kinds/sites/archive-download.ts';
import type { SiteFile } from '../../../shared/items/site-index.ts';
import { atDepth } from '../../depth.ts';

const MB = 1_048_576;
const AT = new Date('2026-11-23T00:00:00Z');

/** Files one behind the other. */
function filesOf(sizes: Record<string, number>): SiteFile[] {
  let offset = 0;
  return Object.entries(sizes).map(([path, length]) => {
    const file = { path, offset, length, contentType: 'text/plain', etag: '0' };
    offset += length;
    return file;
  });
}

/** Bytes in chunks, each made when it is asked for. */
function sourceOf(total: number, chunk: number) {
  let given = 0;
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const size = Math.min(chunk, total - given);
        if (size === 0) return controller.close();
        const bytes = new Uint8Array(size).map((_, at) => (given + at) % 251);
        given += size;
        controller.enqueue(bytes);
      },
      cancel() {
        cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { stream, given: () => given, wasCancelled: () => cancelled };
}

describe('the ZIP of a site', () => {
  for (const chunk of [1, 7, 1_000, 100_000])
    test(`has each file whole, from chunks of ${chunk} bytes`, async () => {
      const files = filesOf({
        'empty.txt': 0,
        'index.html': 5,
        'über/größe.css': 2_000,
        last: 1,
        'also-empty': 0,
      });
      const { stream } = sourceOf(2_006, chunk);
      const zip = await new Response(zipStream(files, stream, AT)).bytes();
      expect(zip.length).toBe(Number(zipLength(files)));
      const found = unzipSync(zip);
      expect(Object.keys(found)).toEqual(files.map(({ path }) => path));
      for (const { path, offset, length } of files)
        expect([...(found[path] ?? [])]).toEqual(Array.from({ length }, (_, at) => (offset + at) % 251));
    });

  test('reads on only when more is asked for', async () => {
    const files = filesOf({ a: 50 * MB, b: 50 * MB });
    const source = sourceOf(100 * MB, 65_536);
    const reader = zipStream(files, source.stream, AT).getReader();
    for (let at = 0; at < 10; at++) await reader.read();
    expect(source.given()).toBeLessThan(2 * MB);
    await reader.cancel();
    expect(source.wasCancelled()).toBe(true);
  });

  test('fails when the bytes end before the files do, or break off', async () => {
    const files = filesOf({ a: 10, b: 10 });
    expect(new Response(zipStream(files, sourceOf(15, 4).stream, AT)).bytes()).rejects.toThrow();
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('the store is away')),
    });
    expect(new Response(zipStream(files, broken, AT)).bytes()).rejects.toThrow('the store is away');
  });

  test('tells its place in 64 bits above 4 GB, without growing in memory', async () => {
    const size = 5 * MB;
    // 820 files are the least that have more than 4 GB.
    const count = atDepth(820, 10);
    const files = filesOf(
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`file-${n}.bin`, size])),
    );
    const piece = new Uint8Array(65_536);
    let left = count * size;
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (left === 0) return controller.close();
          left -= piece.length;
          controller.enqueue(piece);
        },
      },
      { highWaterMark: 0 },
    );
    /** Memory without garbage, of this test or others in this process. */
    const memory = (): number => {
      Bun.gc(true);
      return process.memoryUsage.rss();
    };
    const before = memory();
    let most = 0;
    let bytes = 0;
    let looks = 0;
    let tail = new Uint8Array();
    for await (const chunk of zipStream(files, stream, AT)) {
      bytes += chunk.length;
      const looksDue = Math.floor((16 * bytes) / (count * size));
      if (looksDue > looks) most = Math.max(most, memory() - before);
      looks = looksDue;
      tail = Buffer.concat([tail, chunk.subarray(-98)]).subarray(-98);
    }
    expect(bytes).toBe(Number(zipLength(files)));
    expect(looks).toBeGreaterThanOrEqual(16);
    expect(most).toBeLessThan(96 * MB);
    const isLarge = count * size > 2 ** 32;
    // The ZIP64 record and its locator stand before the last record (APPNOTE 4.3.14).
    expect(strFromU8(tail.subarray(0, 4)) === 'PK\u0006\u0006').toBe(isLarge);
  }, 300_000);
});
