import { beforeAll, describe, expect, test } from 'bun:test';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { fileApiPath, NAVIGATION, type PublishedFile, publishFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import { film } from './support/samples.ts';

const perch = sharePerch();

/** Small enough to be kept in memory, and too large for that. */
const SIZES = { small: 1_000, large: 6_000_000 } as const;
type Size = keyof typeof SIZES;

const contents = {} as Record<Size, Uint8Array>;
const files = {} as Record<Size, PublishedFile>;
let etag = '';

beforeAll(async () => {
  for (const name of ['small', 'large'] as const) {
    const content = Uint8Array.from({ length: SIZES[name] }, (_, index) => (index * 7 + (index >> 8)) & 255);
    content.set(film);
    contents[name] = content;
    files[name] = await publishFile(perch, 'a.mp4', content);
  }
  etag = (await perch.read(files.small, { method: 'HEAD' })).headers.get('ETag') ?? '';
});

/** GET of the short URL and of the API's address. */
const bothReads = (name: Size, headers: Record<string, string>, method = 'GET') =>
  Promise.all([
    perch.read(files[name], { method, headers }),
    perch.request(fileApiPath(files[name]), { method, headers }),
  ]);

async function expectPart(response: Response, name: Size, start: number, end: number): Promise<void> {
  const { status, headers } = response;
  expect([status, headers.get('Content-Range')]).toEqual([206, `bytes ${start}-${end}/${SIZES[name]}`]);
  expect(headers.get('Content-Type')).toBe('video/mp4');
  expect(headers.get('ETag')).toMatch(/^"[\w-]+"$/);
  expect(headers.get('Accept-Ranges')).toBe('bytes');
  expect(headers.get('Cache-Control')).toBe('public, max-age=3600');
  const body = await response.bytes();
  expect(body.length).toBe(end - start + 1);
  expect(Bun.hash(body)).toBe(Bun.hash(contents[name].subarray(start, end + 1)));
}

async function expectWhole(response: Response, name: Size): Promise<void> {
  expect([response.status, response.headers.has('Content-Range')]).toEqual([200, false]);
  expect(response.headers.get('Accept-Ranges')).toBe('bytes');
  expect(Bun.hash(await response.bytes())).toBe(Bun.hash(contents[name]));
}

describe('one range', () => {
  for (const name of ['small', 'large'] as const) {
    const last = SIZES[name] - 1;
    const parts: Record<string, [start: number, end: number]> = {
      'bytes=0-0': [0, 0],
      'bytes=0-': [0, last],
      [`bytes=0-${last}`]: [0, last],
      'bytes=1-2': [1, 2],
      'bytes=500-599': [500, 599],
      'bytes=900-': [900, last],
      [`bytes=${last}-${last}`]: [last, last],
      [`bytes=${last}-`]: [last, last],
      [`bytes=900-${last + 1}`]: [900, last],
      'bytes=900-99999999999999999999': [900, last],
      'bytes=-1': [last, last],
      'bytes=-100': [last - 99, last],
      [`bytes=-${last + 1}`]: [0, last],
      [`bytes=-${last + 2}`]: [0, last],
      'bytes= 10-20': [10, 20],
      'Bytes=10-20': [10, 20],
    };
    test.each(Object.keys(parts))(`is answered with it: %s (${name})`, async (range) => {
      const [start = 0, end = 0] = parts[range] ?? [];
      for (const response of await bothReads(name, { Range: range }))
        await expectPart(response, name, start, end);
    });

    test(`that lies behind the end is 416 (${name})`, async () => {
      for (const range of [
        `bytes=${last + 1}-`,
        'bytes=99999999-',
        'bytes=99999999999999999999-',
        'bytes=-0',
      ])
        for (const response of await bothReads(name, { Range: range })) {
          expect(response.headers.get('Content-Range')).toBe(`bytes */${SIZES[name]}`);
          await expectError(response, 416, 'RANGE_NOT_SATISFIABLE');
        }
    });
  }

  test('that makes no sense is passed over', async () => {
    for (const range of [
      'bytes',
      'bytes=',
      'bytes=-',
      'bytes=a-b',
      'bytes=5-2',
      'bytes=1-2-3',
      'bytes=0x1-2',
      'lines=1-2',
      'x',
      'bytes=1',
      'bytes=1-2,5-3',
    ])
      for (const response of await bothReads('small', { Range: range })) await expectWhole(response, 'small');
  });

  test('has its length in the headers', async () => {
    for (const [range, length] of [
      ['bytes=10-19', 10],
      ['bytes=-5', 5],
      ['bytes=0-', 1_000],
    ] as const)
      for (const response of await bothReads('small', { Range: range }))
        expect(response.headers.get('Content-Length')).toBe(String(length));
  });

  test('is not for HEAD', async () => {
    for (const range of ['bytes=0-0', 'bytes=5000-'])
      for (const head of await bothReads('small', { Range: range }, 'HEAD')) {
        expect([head.status, head.headers.has('Content-Range')]).toEqual([200, false]);
        expect(head.headers.get('Content-Length')).toBe('1000');
        expect(await head.text()).toBe('');
      }
  });

  test('of a browser gets bytes, not the viewer', async () => {
    const headers = { ...NAVIGATION, Range: 'bytes=0-9' };
    await expectPart(await perch.read(files.small, { headers }), 'small', 0, 9);
  });

  test('of nothing: an empty file', async () => {
    const empty = await publishFile(perch, 'empty.txt', '');
    for (const Range of ['bytes=0-', 'bytes=0-0', 'bytes=5-9']) {
      const response = await perch.read(empty, { headers: { Range } });
      expect(response.headers.get('Content-Range')).toBe('bytes */0');
      await expectError(response, 416, 'RANGE_NOT_SATISFIABLE');
    }
  });
});

test('If-Range gives the part of the version it names, and the whole of any other', async () => {
  const read = (ifRange: string) =>
    perch.read(files.small, { headers: { Range: 'bytes=10-19', 'If-Range': ifRange } });
  await expectPart(await read(etag), 'small', 10, 19);
  const yesterday = new Date(Date.now() - 86_400_000).toUTCString();
  for (const other of ['"other"', `W/${etag}`, etag.slice(1, -1), yesterday, 'nonsense', `${etag}, "x"`])
    await expectWhole(await read(other), 'small');
  const beyond = { Range: 'bytes=5000-', 'If-Range': '"other"' };
  await expectWhole(await perch.read(files.small, { headers: beyond }), 'small');
});

test('many parts of one large file at once are each the right ones', async () => {
  await atOnce(40, async (n) => {
    const start = n * 150_000;
    const headers = { Range: `bytes=${start}-${start + 99_999}` };
    await expectPart(await perch.read(files.large, { headers }), 'large', start, start + 99_999);
  });
});
