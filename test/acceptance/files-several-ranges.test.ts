import { describe, expect, test } from 'bun:test';
import { useStarted } from '../started.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { publishFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const content = Uint8Array.from({ length: 1_000 }, (_, index) => 97 + (index % 26));
const file = useStarted(() => publishFile(perch, 'a.txt', content));

const read = (range: string) => perch.read(file, { headers: { Range: range } });

async function expectPart(response: Response, start: number, end: number): Promise<void> {
  const { status, headers } = response;
  expect([status, headers.get('Content-Range')]).toEqual([206, `bytes ${start}-${end}/1000`]);
  expect(await response.bytes()).toEqual(content.slice(start, end + 1));
}

async function expectWhole(response: Response): Promise<void> {
  expect([response.status, response.headers.has('Content-Range')]).toEqual([200, false]);
  expect(await response.bytes()).toEqual(content);
}

/** RFC 9110 section 15.3.7.2; a server may answer with the whole instead (section 14.2). */
async function expectParts(response: Response, ranges: Array<[start: number, end: number]>): Promise<void> {
  const [, boundary] =
    /^multipart\/byteranges; ?boundary="?([^"]+)"?$/.exec(response.headers.get('Content-Type') ?? '') ?? [];
  if (response.status === 200 || boundary === undefined) return await expectWhole(response);
  expect(response.status).toBe(206);
  const text = Buffer.from(await response.bytes()).toString('latin1');
  const parts = text.split(`--${boundary}`).slice(1, -1);
  expect(parts.length).toBe(ranges.length);
  for (const [index, [start, end]] of ranges.entries()) {
    expect(parts[index]).toContain(`bytes ${start}-${end}/1000`);
    expect(parts[index]).toContain(Buffer.from(content.subarray(start, end + 1)).toString('latin1'));
  }
}

describe('several ranges', () => {
  test('are answered with all of them, or with the whole', async () => {
    for (const [range, ranges] of [
      [
        'bytes=0-9,20-29',
        [
          [0, 9],
          [20, 29],
        ],
      ],
      [
        'bytes=0-0, -1',
        [
          [0, 0],
          [999, 999],
        ],
      ],
      [
        'bytes=500-599,0-9',
        [
          [500, 599],
          [0, 9],
        ],
      ],
    ] as Array<[string, Array<[number, number]>]>)
      await expectParts(await read(range), ranges);
  });

  test('that overlap or touch are one, or the whole', async () => {
    for (const range of ['bytes=0-9,5-19', 'bytes=0-9,10-19', 'bytes=5-19,0-9', 'bytes=0-19,2-3']) {
      const response = await read(range);
      if (response.status === 206) await expectPart(response, 0, 19);
      else await expectWhole(response);
    }
  });

  test('of which one can be had are answered with that', async () => {
    const response = await read('bytes=5000-,10-19');
    if (response.status === 206) await expectPart(response, 10, 19);
    else await expectWhole(response);
  });

  test('none of which can be had are 416', async () => {
    const response = await read('bytes=5000-5001,6000-');
    await expectError(response, 416, 'RANGE_NOT_SATISFIABLE');
  });

  test('by the thousand cost no more than the whole', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => `${n % 900}-`).join(',');
    const responses = await atOnce(10, () => read(`bytes=${many}`));
    for (const response of responses) {
      expect([200, 206]).toContain(response.status);
      expect((await response.bytes()).length).toBeLessThanOrEqual(1_000);
    }
  });
});
