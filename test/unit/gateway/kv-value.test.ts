import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { encodeValueOf } from '../../../services/gateway/kinds/kv/value.ts';
import { LIMITS } from '../../../shared/items/item.ts';

const encode = (value: string) => {
  const text = `{"value":${value}}`;
  return encodeValueOf(text, JSON.parse(text) as { value: unknown });
};

test('numbers stay as they were written', () => {
  const numbers = [
    ...['12345678901234567890', '1.10', '1e400', '-0', '-0.0', '0.0000001', '1E5', '1e5', '100', '-1.5'],
    ...[
      '9007199254740993',
      '123456789012345.67',
      '0.1',
      '1234567.125',
      '-0.25',
      '0.30000000000000004',
      '5e-324',
    ],
  ];
  for (const number of numbers) expect(encode(number).value).toBe(number);
  const nested = `{"a":[${numbers.join(',')}],"b":{"c":1.00}}`;
  expect(encode(nested).value).toBe(nested);
});

test('any number stays as it was written', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 18 });
  const integer = digits.map((text) => text.replace(/^0+(?=\d)/, ''));
  const fraction = fc.option(
    digits.map((text) => `.${text}`),
    { nil: '' },
  );
  const sign = fc.constantFrom('', '-');
  const exponent = fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.nat(400)).map((parts) => parts.join('')),
  );
  const number = fc.tuple(sign, integer, fraction, exponent).map((parts) => parts.join(''));
  fc.assert(
    fc.property(number, (text) => expect(encode(`[${text}]`).value).toBe(`[${text}]`)),
    { numRuns: 5_000 },
  );
});

test('any other value is what it was, without white space', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(encode(JSON.stringify(value, null, 1)).value).toBe(JSON.stringify(value));
    }),
    { numRuns: 500 },
  );
  expect(encode('{"__proto__":1.0,"b":"1.10"}').value).toBe('{"__proto__":1.0,"b":"1.10"}');
  expect(encode('null')).toEqual({ value: 'null', sizeBytes: 4 });
});

test('what looks like a number in a text or a name stays what it is', () => {
  const value = '{"1.0":"-0","a\\"1.0":["\\\\",1.0,"\\\\\\"1e5",1e5],"1":[-0.0,[1.10]]}';
  expect(encode(value).value).toBe('{"1":[-0.0,[1.10]],"1.0":"-0","a\\"1.0":["\\\\",1.0,"\\\\\\"1e5",1e5]}');
  expect(encode('{"a":1.0,"\\u0061":2.0}').value).toBe('{"a":2.0}');
  const nested = `[${Array.from({ length: 209_000 }, () => '[-0]').join(',')}]`;
  expect(encode(nested).value === nested).toBe(true);
});

test('a text counts its own bytes, all else those of its JSON', () => {
  expect(encode('""').sizeBytes).toBe(0);
  expect(encode('"\\u0001\\"é"').sizeBytes).toBe(4);
  expect(encode('[ "é" , 1.0 ]').sizeBytes).toBe('["é",1.0]'.length + 1);
});

test('1 MB is not too large, and one byte more is', () => {
  const most = LIMITS.kvValueBytes;
  expect(encode(JSON.stringify('\u0001'.repeat(most))).sizeBytes).toBe(most);
  expect(() => encode(JSON.stringify('\u0001'.repeat(most + 1)))).toThrow(
    expect.objectContaining({ code: 'TOO_LARGE' }),
  );
  expect(encode(JSON.stringify(['x'.repeat(most - 4)])).sizeBytes).toBe(most);
  expect(() => encode(JSON.stringify(['x'.repeat(most - 3)]))).toThrow(
    expect.objectContaining({ code: 'TOO_LARGE' }),
  );
});
