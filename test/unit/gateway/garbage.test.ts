import { afterAll, expect, spyOn, test } from 'bun:test';
import { collectGarbageAfter } from '../../../services/gateway/admission/memory-budget.ts';

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
