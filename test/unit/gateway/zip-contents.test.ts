import { expect, test } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import { readZipContents } from '../../../services/gateway/kinds/files/zip-contents.ts';

/** Reads a ZIP, and notes how much of it was read. */
async function listed(bytes: Uint8Array) {
  let read = 0;
  const contents = await readZipContents({
    size: bytes.length,
    async read(position, length) {
      expect(position).toBeGreaterThanOrEqual(0);
      expect(position + length).toBeLessThanOrEqual(bytes.length);
      read += length;
      return Buffer.from(bytes.subarray(position, position + length));
    },
  });
  return { contents, read };
}

test('lists names and sizes by the directory alone', async () => {
  const zip = zipSync({ 'a/b.txt': strToU8('x'.repeat(3_000_000)), 'é.txt': strToU8('') }, { level: 0 });
  const { contents, read } = await listed(zip);
  expect(contents?.entries.map(({ name, size }) => [name, size])).toEqual([
    ['a/b.txt', 3_000_000],
    ['é.txt', 0],
  ]);
  expect(contents).toMatchObject({ count: 2, bytes: 3_000_000 });
  expect(read).toBeLessThan(70_000);
});

test('lists a thousand entries at most, and reads no more of the directory than that may take', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, at) => [`${'n'.repeat(400)}${at}`, strToU8('')]),
  );
  const { contents, read } = await listed(zipSync(many));
  expect(contents?.count).toBe(5_000);
  expect(contents?.entries.length).toBeGreaterThan(500);
  expect(contents?.entries.length).toBeLessThanOrEqual(1_000);
  expect(read).toBeLessThan(400_000);
});

test('has nothing to say of what is no whole archive, wherever it is damaged', async () => {
  const zip = zipSync({ 'a.txt': strToU8('hello'), 'b.txt': strToU8('there') });
  expect((await listed(new Uint8Array(10))).contents).toBeNull();
  for (let at = 0; at < zip.length; at++) {
    const damaged = zip.slice();
    damaged[at] = (damaged[at] ?? 0) ^ 0xff;
    const { contents } = await listed(damaged);
    expect(contents?.entries.length ?? 0).toBeLessThanOrEqual(2);
    expect((await listed(zip.subarray(0, at))).contents).toBeNull();
  }
});

test('shows names in other encodings as far as they can be read', async () => {
  const zip = zipSync({ 'name.txt': strToU8('x') });
  const at = Buffer.from(zip).lastIndexOf('name.txt');
  zip[at] = 0xe9;
  const { contents } = await listed(zip);
  expect(contents?.entries[0]?.name).toBe('\uFFFDame.txt');
});
