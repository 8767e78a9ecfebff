// biome-ignore-all lint/suspicious/noTemplateCurlyInString: how Compose writes variables is what these are about
import { expect, test } from 'bun:test';
import { interpolate, variablesIn } from './compose-file.ts';

const ENV = { SET: 'value', EMPTY: '' };

test.each([
  ['nothing to do', 'nothing to do'],
  ['', ''],
  ['$SET', 'value'],
  ['a${SET}b$SET.c', 'avaluebvalue.c'],
  ['$MISSING|${MISSING}|', '||'],
  ['$$SET $${SET}', '$SET ${SET}'],
  ['${SET:-other}', 'value'],
  ['${EMPTY:-other}', 'other'],
  ['${EMPTY-other}', ''],
  ['${MISSING-other}', 'other'],
  ['${MISSING:-http://localhost:80}', 'http://localhost:80'],
  ['${SET:+there}', 'there'],
  ['${EMPTY:+there}', ''],
  ['${EMPTY+there}', 'there'],
  ['${MISSING+there}', ''],
  ['${SET:?must be}', 'value'],
  ['${EMPTY?must be}', ''],
  ['${MISSING:-${SET}}/x', 'value/x'],
  ['${MISSING:-${EMPTY:-a${SET}}b}c', 'avaluebc'],
  ['${SET:+https://${SET}}', 'https://value'],
  ['${MISSING:-{}}', '{}'],
])('%s becomes %s', (text, expected) => {
  expect(interpolate(text, ENV)).toBe(expected);
});

test.each(['${SET', '${}', '${1}', '$ ', '$', '${SET!}', '${MISSING:?say why}', '${EMPTY:?say why}'])(
  '%s is refused',
  (text) => {
    expect(() => interpolate(text, ENV)).toThrow();
  },
);

test('a required variable that is missing says what was written for it', () => {
  expect(() => interpolate('${MISSING:?make it first}', ENV)).toThrow('MISSING is required: make it first');
});

test('the names of variables are found, also in one another, and not behind two dollar signs', () => {
  expect(variablesIn('${A:-${B}} $C $$D $${E}')).toEqual(['A', 'B', 'C']);
});
