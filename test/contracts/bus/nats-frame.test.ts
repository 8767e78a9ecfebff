import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  cutIntoFrames,
  decodeFrame,
  encodeFrame,
  framedSize,
  type Part,
} from '../../../shared/adapters/bus/nats-frame.ts';

const anyParts = fc.array(
  fc.record({
    index: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    bytes: fc.uint8Array({ maxLength: 40 }),
  }),
  { maxLength: 12 },
);
const plainly = (parts: readonly Part[]) => parts.map(({ index, bytes }) => [index, ...bytes]);

test('parts come back as they were put in, also from within a larger buffer', () => {
  fc.assert(
    fc.property(anyParts, (parts) => {
      const frame = encodeFrame(parts);
      expect(frame).toHaveLength(parts.reduce((size, part) => size + framedSize(part), 0));
      expect(plainly(decodeFrame(frame))).toEqual(plainly(parts));
      const within = new Uint8Array(frame.length + 6).fill(255);
      within.set(frame, 3);
      expect(plainly(decodeFrame(within.subarray(3, 3 + frame.length)))).toEqual(plainly(parts));
    }),
  );
});

test('what is no frame is refused', () => {
  const frame = encodeFrame([{ index: 1, bytes: new Uint8Array(5) }]);
  for (let length = 1; length < frame.length; length++) {
    expect(() => decodeFrame(frame.subarray(0, length))).toThrow(RangeError);
  }
  expect(() => decodeFrame(new TextEncoder().encode('{"requestId":"a"}'))).toThrow(RangeError);
  expect(decodeFrame(new Uint8Array(0))).toEqual([]);
});

test('a run ends before it has too many parts or bytes, and nothing is lost', () => {
  const parts = (...sizes: number[]): Part[] =>
    sizes.map((size, index) => ({ index, bytes: new Uint8Array(size) }));
  const cut = (sizes: number[], max: { parts: number; bytes: number }) =>
    cutIntoFrames(parts(...sizes), max).map((run) => run.map(({ index }) => index));
  expect(cut([], { parts: 2, bytes: 100 })).toEqual([]);
  expect(cut([1, 1], { parts: 2, bytes: 100 })).toEqual([[0, 1]]);
  expect(cut([1, 1, 1], { parts: 2, bytes: 100 })).toEqual([[0, 1], [2]]);
  for (const [bytes, runs] of [
    [35, [[0], [1]]],
    [36, [[0, 1]]],
    [37, [[0, 1]]],
  ] as const) {
    expect(cut([10, 10], { parts: 9, bytes })).toEqual(runs.map((run) => [...run]));
  }
  expect(cut([1, 500, 1], { parts: 9, bytes: 100 })).toEqual([[0], [1], [2]]);
});
