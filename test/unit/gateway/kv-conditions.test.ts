import { expect, test } from 'bun:test';
import { readConditions } from '../../../services/gateway/kinds/kv/key.ts';
import { etagOfEntry } from '../../../services/gateway/kinds/kv/serializer.ts';
import { sequencesOf } from '../../../services/kv/conditions.ts';

const request = (headers: Record<string, string>) => new Request('http://localhost/', { headers });

test('conditions as the contract has them', () => {
  expect(readConditions(request({}))).toEqual({ ifMatch: null, ifAbsent: false });
  expect(readConditions(request({ 'If-Match': '"a", W/"b","c"' }))).toEqual({
    ifMatch: ['a', 'c'],
    ifAbsent: false,
  });
  expect(readConditions(request({ 'If-Match': '*', 'If-None-Match': ' * ' }))).toEqual({
    ifMatch: [],
    ifAbsent: true,
  });
});

test('a condition that no key can meet, and one that is not known', () => {
  for (const header of ['', 'a', 'W/"a"']) {
    expect(() => readConditions(request({ 'If-Match': header }))).toThrow(
      expect.objectContaining({ code: 'PRECONDITION_FAILED' }),
    );
  }
  expect(() => readConditions(request({ 'If-None-Match': '"a"' }))).toThrow(
    expect.objectContaining({ code: 'VALIDATION_FAILED' }),
  );
});

test('a tag leads back to its sequence, and nothing else does', () => {
  for (const sequence of [1, 35, 36, 123_456_789, Number.MAX_SAFE_INTEGER]) {
    expect(sequencesOf([etagOfEntry({ sequence }).slice(1, -1)])).toEqual([sequence]);
  }
  expect(sequencesOf(['', 'A', '01', ' 1', '1.5', '-', 'zzzzzzzzzzzzzzz', '1"'])).toEqual([]);
});
