import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { decodeText, looksLikeHtml } from '../../../services/gateway/uploads/inspect-content.ts';

describe('text that is meant as HTML', () => {
  test.each([
    ['<p>x', true],
    ['  \n\t<!doctype html>', true],
    ['\uFEFF<html>', true],
    ['<Ü>', false],
    ['< p>', false],
    ['<3 you', false],
    ['<?xml version="1.0"?>', false],
    ['x <p>', false],
  ])('%p', (text, html) => {
    expect(looksLikeHtml(text)).toBe(html);
  });
});

describe('text of bytes', () => {
  test('is what was encoded, byte order mark included', () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((s) => s.trim() !== '' && !s.includes('\0'));
    fc.assert(
      fc.property(text, fc.boolean(), (content, mark) => {
        const whole = mark ? `\uFEFF${content}` : content;
        expect(decodeText(new TextEncoder().encode(whole))).toBe(whole);
      }),
    );
  });

  test.each([
    ['a lone continuation byte', [0x61, 0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a sequence cut off', [0x61, 0xe2, 0x82]],
    ['a NUL', [0x61, 0x00, 0x62]],
  ])('is refused when it has %s', (_, bytes) => {
    expect(() => decodeText(new Uint8Array(bytes))).toThrow(
      expect.objectContaining({ code: 'CONTENT_REJECTED' }),
    );
  });
});
