import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { contentDisposition } from '../../../services/gateway/http/content-disposition.ts';
import { CONTROL } from '../../../shared/wording/line.ts';
import { anyCharacter } from '../../any-character.ts';

test.each([
  ['a.png', `attachment; filename="a.png"; filename*=UTF-8''a.png`],
  ['a b.png', `attachment; filename="a b.png"; filename*=UTF-8''a%20b.png`],
  ['é🐦.png', `attachment; filename="__.png"; filename*=UTF-8''%C3%A9%F0%9F%90%A6.png`],
  ['"\\%22.png', `attachment; filename="___22.png"; filename*=UTF-8''%22%5C%2522.png`],
  [`a'(1)*.png`, `attachment; filename="a'(1)*.png"; filename*=UTF-8''a%27%281%29%2A.png`],
  ['a\r\nX: 1\0', `attachment; filename="a__X: 1_"; filename*=UTF-8''a__X%3A%201_`],
  ['\ud800a', `attachment; filename="_a"; filename*=UTF-8''%EF%BF%BDa`],
])('%p is saved under its name', (name, header) => {
  expect(contentDisposition('attachment', name)).toBe(header);
});

test('any name gives a header that carries it exactly', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (name) => {
      const header = contentDisposition('inline', name);
      expect(new Headers({ 'Content-Disposition': header }).get('content-disposition')).toBe(header);
      const [, ascii = '', exact = ''] =
        /^inline; filename="([ -~]*)"; filename\*=UTF-8''([\w.~%!#$&+^`|-]*)$/.exec(header) ?? [];
      expect(ascii).not.toMatch(/["\\%]/);
      expect(decodeURIComponent(exact)).toBe(name.toWellFormed().replace(new RegExp(CONTROL, 'g'), '_'));
    }),
  );
});
