import { expect, test } from 'bun:test';
import {
  kindOfFiles,
  looksLikeHtml,
  looksLikeZip,
} from '../../../services/gateway/web/browser/publish/content-kinds.ts';
import { isToken, tokenFile, tokensIn } from '../../../services/gateway/web/browser/token-file.ts';

const file = (path: string, bytes = 10) => ({ path, bytes });

test.each([
  [[file('site.zip')], 'site'],
  [[file('garden/index.html'), file('garden/a.css')], 'site'],
  [[file('index.html'), file('a.css')], 'site'],
  [[file('a.png'), file('b.png')], 'file'],
  [[file('notes.md')], 'page'],
  [[file('Page.HTM')], 'page'],
  [[file('notes.txt', 6 * 1_048_576)], 'file'],
  [[file('data.json')], 'json'],
  [[file('data.json', 2 * 1_048_576)], 'file'],
  [[file('photo.png')], 'file'],
  [[], 'file'],
])('%j is meant as a %s', (files, kind) => {
  expect(kindOfFiles(files)).toBe(kind as 'site');
});

test.each([
  ['<!doctype html><p>', true],
  ['\uFEFF\n <!DOCTYPE HTML PUBLIC "x">', true],
  ['<html lang="en">', true],
  ['<!-- saved from url=(1) -->\n<html>', true],
  ['<p>a snippet', false],
  ['# Title\n<html>', false],
  ['<htmlx>', false],
  ['<!doctype svg>', false],
  [`<!-- ${'x'.repeat(100_000)}`, false],
])('%s is a whole HTML document: %s', (text, expected) => {
  expect(looksLikeHtml(text)).toBe(expected);
});

test('a ZIP is known by its first bytes', () => {
  const bytes = (...values: number[]) => new Uint8Array(values);
  expect(looksLikeZip(bytes(0x50, 0x4b, 3, 4))).toBe(true);
  expect(looksLikeZip(bytes(0x50, 0x4b, 5, 6))).toBe(true);
  for (const other of [bytes(), bytes(0x50, 0x4b), bytes(0x50, 0x4b, 3, 5), bytes(0x89, 0x50, 0x4e, 0x47)])
    expect(looksLikeZip(other)).toBe(false);
});

test('tokens are read back from a file of ours, and from a list', () => {
  const tokens = [
    `own_${'a'.repeat(40)}`,
    'sixteen-letters!',
    'correct horse battery staple',
    'früh 🌱 '.repeat(3).trim(),
  ];
  expect(tokensIn(tokenFile(tokens, 'https://p.example'))).toEqual(tokens);
  for (const end of ['\n', '\r\n', '\r'])
    expect(tokensIn(` ${tokens.join(end)} ${end}${end}`)).toEqual(tokens);
  for (const text of ['', 'null', '{}', '{"tokens": 1}', '{"tokens": [1, "short"]}', 'a b c'])
    expect(tokensIn(text)).toEqual([]);
});

test('a token has 16 to 512 characters, and none that controls', () => {
  for (const right of [
    'x'.repeat(16),
    'x'.repeat(512),
    'correct horse battery staple',
    'ü'.repeat(20),
    '🌱'.repeat(512),
  ])
    expect(isToken(right)).toBe(true);
  for (const wrong of ['x'.repeat(15), 'x'.repeat(513), '🌱'.repeat(15), `${'x'.repeat(20)}\ty`])
    expect(isToken(wrong)).toBe(false);
  for (const odd of ['\0', '\u0085', '\ud800']) expect(isToken(`${'x'.repeat(20)}${odd}`)).toBe(false);
});
