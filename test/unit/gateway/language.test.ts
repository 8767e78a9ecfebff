import { expect, test } from 'bun:test';
import { languageOf } from '../../../services/gateway/http/language.ts';

const languageFor = (headers: Record<string, string>) => languageOf({ headers: new Headers(headers) });

test.each([
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.5', 'de'],
  ['fr-FR,fr;q=0.9,de;q=0.4,en;q=0.3', 'de'],
  ['en-US,en;q=0.9,de;q=0.8', 'en'],
  ['fr', 'en'],
  ['de;q=0', 'en'],
  ['*', 'en'],
  ['', 'en'],
  [';;,,=q', 'en'],
])('a browser that prefers "%s" gets %s', (accepted, expected) => {
  expect(languageFor({ 'Accept-Language': accepted })).toBe(expected as 'de' | 'en');
});

test('without a preference the pages are English', () => {
  expect(languageFor({})).toBe('en');
});

test('a chosen language goes before the preferred one, and an unknown one is passed over', () => {
  const german = { 'Accept-Language': 'de' };
  expect(languageFor({ ...german, Cookie: 'a=b; perch_language=en' })).toBe('en');
  expect(languageFor({ ...german, Cookie: 'perch_language=xx' })).toBe('de');
  expect(languageFor({ ...german, Cookie: 'other_perch_language=en' })).toBe('de');
  expect(languageFor({ ...german, Cookie: 'perch_language=english' })).toBe('de');
});
