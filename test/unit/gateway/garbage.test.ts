import { afterAll, expect, spyOn, test } from 'bun:test';
import { collectGarbageAfter, freeBytes } from '../../../services/gateway/admission/memory-budget.ts';

const gc = spyOn(Bun, 'gc').mockImplementation(() => undefined as never);
// Other test files run in this process, too.
afterAll(() => gc.mockRestore());

test('bodies of 16 MB together ask for a collection that stops no request', () => {
  collectGarbageAfter(16_777_216);
  gc.mockClear();
  collectGarbageAfter(16_777_215);
  expect(gc).not.toHaveBeenCalled();
  collectGarbageAfter(1);
  expect(gc.mock.calls).toEqual([[false]]);
});

test('bytes that are a whole buffer are freed at once, and a part of one leaves the rest as it is', () => {
  const whole = new Uint8Array(1_000_000).fill(1);
  freeBytes(whole);
  expect(whole).toHaveLength(0);
  expect(whole.buffer.detached).toBe(true);

  const buffer = new Uint8Array([1, 2, 3]);
  freeBytes(buffer.subarray(1));
  freeBytes(buffer.subarray(0, 0));
  expect([...buffer]).toEqual([1, 2, 3]);
});
