import { expect, test } from 'bun:test';
import { memberText } from '../../clients/js/src/member-text.ts';

test.each([
  ['a number beyond a double', '{"value":12345678901234567890}', '12345678901234567890'],
  ['digits that say nothing', '{"value":1.0e0,"version":2}', '1.0e0'],
  ['between other members', '{"a":1,"value":{"n":1e400},"b":[2]}', '{"n":1e400}'],
  ['white space', '{ "value" : [ 1 , 2 ] , "b" : 1 }', '[ 1 , 2 ]'],
  ['a text with signs', '{"value":"a,}\\"]:{","b":1}', '"a,}\\"]:{"'],
  ['a text that ends with a backslash', '{"value":"\\\\","b":1}', '"\\\\"'],
  ['a name in other words', '{"\\u0076alue":null}', 'null'],
  ['its name as a value', '{"a":"value","value":true}', 'true'],
  ['its name further inside', '{"a":{"value":1},"b":[{"value":2}],"value":false}', 'false'],
  ['twice', '{"value":1,"value":2}', '2'],
])('a member is found: %s', (_name, json, text) => {
  expect(memberText(json, 'value')).toBe(text);
  expect(JSON.parse(text)).toEqual(JSON.parse(json).value);
});

test.each(['{}', '{"a":{"value":1}}', '["value"]'])('%s has no such member', (json) => {
  expect(() => memberText(json, 'value')).toThrow(RangeError);
});

test('a value as large as a store takes', () => {
  const value = JSON.stringify('\\"'.repeat(250_000));
  expect(memberText(`{"key":"k","value":${value},"version":1}`, 'value')).toBe(value);
});
