import { describe, expect, test } from 'bun:test';
import { readMultipart } from '../../../services/gateway/http/multipart.ts';
import { contextWith, END, FAULT, field, file, OPTIONS, part, read, tooLarge } from './request-context.ts';

describe('what is refused', () => {
  const long = 'x'.repeat(70_000);
  test.each([
    ['a body without anything', ['']],
    ['a body without a boundary', ['a=b&c=d']],
    ['another boundary', ['--c\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--c--\r\n']],
    ['no last boundary', [field('a', 'b')]],
    ['a part without headers', [part('', 'x'), END]],
    ['a part cut off in its headers by a boundary', ['--b\r\nContent-Dispo\r\n', field('a', 'b'), END]],
    [
      'a last part cut off in its headers by the end',
      ['--b\r\nContent-Disposition: form-data; name="a"\r\n', END],
    ],
    ['a part without a Content-Disposition', [part('Content-Type: text/plain', 'x'), END]],
    [
      'a part with two',
      [
        part('Content-Disposition: form-data; name="a"\r\ncontent-disposition: form-data; name="b"', 'x'),
        END,
      ],
    ],
    ['a part that is an attachment', [part('Content-Disposition: attachment; name="a"', 'x'), END]],
    ['a part without a name', [part('Content-Disposition: form-data; filename="a"', 'x'), END]],
    ['two names', [part('Content-Disposition: form-data; name="a"; name="b"', 'x'), END]],
    ['two file names', [file('filename="a"; filename="b"'), END]],
    ['a name without an end', [file('filename="a'), END]],
    ['a line break in a name', [file('filename="a\nb"'), END]],
    ['a name in Latin 1', [file('filename="\xfc"'), END]],
    ['an extended name that is not UTF-8', [file("filename*=UTF-8''%FC"), END]],
    ['an extended name in another charset', [file("filename*=UTF-16''%FC"), END]],
    [
      'a part in base64',
      [part('Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64', 'eA=='), END],
    ],
    [
      'headers too long',
      [part(`X-Long: ${'x'.repeat(20_000)}\r\nContent-Disposition: form-data; name="a"`, 'x'), END],
    ],
    ['headers far too long', [part(`Content-Disposition: form-data; name="a"; filename=${long}`, 'x'), END]],
    ['headers without an end', [`--b\r\n${'X-A: b\r\n'.repeat(50_000)}`]],
    ['a field too long', [field('a', 'x'.repeat(65_537)), END]],
    ['a field that is not UTF-8', [field('a', '\xff'), END]],
    ['fields too long together', [...Array.from({ length: 17 }, () => field('a', 'x'.repeat(65_000))), END]],
    ['too many fields', [...Array.from({ length: 1_001 }, () => field('a', '')), END]],
    ['too many files', [...Array.from({ length: 1_001 }, () => file('filename="a"', '')), END]],
  ])('%s', async (_, pieces) => {
    await expect(read(pieces)).rejects.toMatchObject(FAULT);
    await expect(read([pieces.join('')])).rejects.toMatchObject(FAULT);
  });

  test('as much as is allowed is not', async () => {
    const fields = Array.from({ length: 1_000 }, (_, index) => field(`f${index}`, ''));
    const files = Array.from({ length: 1_000 }, () => file('filename="a"', ''));
    const form = await read([...fields, ...files, END]);
    expect(form.files).toHaveLength(1_000);
    expect(Object.keys(form.fields)).toHaveLength(1_000);
    expect((await read([field('a', 'x'.repeat(65_536)), END])).fields.a).toHaveLength(65_536);
  });

  test.each([
    ['text/plain', 'UNSUPPORTED_MEDIA_TYPE'],
    ['multipart/mixed; boundary=b', 'UNSUPPORTED_MEDIA_TYPE'],
    ['multipart/form-data', 'VALIDATION_FAILED'],
    ['multipart/form-data; boundary=', 'VALIDATION_FAILED'],
    ['multipart/form-data; boundary=""', 'VALIDATION_FAILED'],
    [`multipart/form-data; boundary=${'x'.repeat(71)}`, 'VALIDATION_FAILED'],
    ['multipart/form-data; boundary="a@b"', 'VALIDATION_FAILED'],
    ['multipart/form-data; boundary="b', 'VALIDATION_FAILED'],
    ['multipart/form-data; boundary=b; boundary=c', 'VALIDATION_FAILED'],
  ])('the type %j', async (type, code) => {
    const context = contextWith(Buffer.from(END), { 'Content-Type': type });
    await expect(readMultipart(context, OPTIONS, async () => undefined)).rejects.toMatchObject({ code });
  });

  test('a body over the limit, with the error of the limit', async () => {
    const limit = { bytes: 1_000, tooLarge };
    const pieces = [field('a', 'x'.repeat(600)), field('b', 'x'.repeat(600)), END];
    await expect(read(pieces, 'b', { limit })).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });

  test('a form that breaks off anywhere', async () => {
    const whole = [field('a', 'b'), file('filename="c"', 'd\r\n--'), field('e', ''), '--b--'].join('');
    for (let length = 0; length < whole.length; length++) {
      const cut = whole.slice(0, length);
      for (const pieces of [[cut], [...cut]]) await expect(read(pieces)).rejects.toMatchObject(FAULT);
    }
    expect((await read([...whole])).files).toHaveLength(1);
  });
});
