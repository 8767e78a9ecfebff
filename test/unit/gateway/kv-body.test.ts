import { expect, test } from 'bun:test';
import { createMemoryBudget } from '../../../services/gateway/admission/memory-budget.ts';
import { readKvBody, requireValue } from '../../../services/gateway/kinds/kv/value.ts';
import { errors } from '../../../shared/errors.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import { bodyOf, contextWith } from './request-context.ts';

const budget = createMemoryBudget(() => errors.refused('uploads'));

const readStream = async (body: ReadableStream<Uint8Array>) => {
  const context = contextWith(body);
  return await readKvBody(context, budget).finally(() => context.end());
};

const read = (text: string | Uint8Array) => {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  return readStream(bodyOf([bytes]).stream);
};

test('an object with a value, and its other members', async () => {
  const body = await read(' {"key": "k", "value": {"a": 1.10}, "ttl": 7.0}');
  expect(body.fields).toMatchObject({ key: 'k', ttl: 7 });
  expect(requireValue(body)).toEqual({ value: '{"a":1.10}', sizeBytes: 10 });
});

test('null is a value, and no value is none', async () => {
  expect(requireValue(await read('{"value": null}'))).toEqual({ value: 'null', sizeBytes: 4 });
  const body = await read('{"Value": 1}');
  expect(body.value).toBeNull();
  expect(() => requireValue(body)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
});

test('of two members of one name the last counts, however it is written', async () => {
  expect((await read('{"value": 1, "\\u0076alue": 2.0}')).value?.value).toBe('2.0');
});

test('what is no JSON object is refused', async () => {
  for (const text of [
    '',
    '   ',
    '[]',
    '"value"',
    'null',
    '1',
    '{"value":}',
    '{"value":1',
    '{"value":01}',
    "{'value':1}",
  ]) {
    await expect(read(text)).rejects.toMatchObject({ code: 'JSON_INVALID' });
  }
  await expect(read(new Uint8Array([0x22, 0xff, 0x22]))).rejects.toMatchObject({ code: 'JSON_INVALID' });
});

test('a value is nested as deep as a JSON document may be, and no deeper', async () => {
  const nested = (levels: number) => `{"value":${'['.repeat(levels)}1.0${']'.repeat(levels)}}`;
  expect((await read(nested(LIMITS.jsonDepth))).value?.sizeBytes).toBe(2 * LIMITS.jsonDepth + 3);
  for (const text of [
    nested(LIMITS.jsonDepth + 1),
    nested(1_000_000),
    '['.repeat(3_000_000),
    '{'.repeat(3_000_000),
  ]) {
    await expect(read(text)).rejects.toMatchObject({ code: 'JSON_INVALID' });
  }
});

test('the largest text may be written with escapes, and what no value can need is not read', async () => {
  const escaped = '\\u0041'.repeat(LIMITS.kvValueBytes);
  expect((await read(`{"value":"${escaped}"}`)).value?.sizeBytes).toBe(LIMITS.kvValueBytes);
  const endless = bodyOf(Array.from({ length: 100 }, () => new Uint8Array(1_048_576).fill(0x20)));
  await expect(readStream(endless.stream)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  expect(endless.taken()).toBeLessThan(8 * 1_048_576);
});
