import { expect, test } from 'bun:test';
import { newRequestId } from '../../shared/ids.ts';

test('ids of requests are all different, also those of several fillings of their random bytes', () => {
  const ids = Array.from({ length: 2_000 }, newRequestId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[\w-]{16}$/);
});
