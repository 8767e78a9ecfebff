import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { selectRange } from '../../../services/gateway/http/byte-range.ts';
import { PerchError } from '../../../shared/perch-error.ts';

const ETAG = '"current"';

function select(range: string | null, size = 100, headers: Record<string, string> = {}, method = 'GET') {
  const all = range === null ? headers : { ...headers, Range: range };
  return selectRange(new Request('http://localhost/', { method, headers: all }), size, ETAG);
}

test.each([
  ['bytes=0-0', 0, 0],
  ['bytes=0-9', 0, 9],
  ['bytes=10-', 10, 99],
  ['bytes=-5', 95, 99],
  ['bytes=-100', 0, 99],
  ['bytes=-101', 0, 99],
  ['bytes=-99999999999999999999', 0, 99],
  ['bytes=90-1000', 90, 99],
  ['bytes=99-99999999999999999999', 99, 99],
  ['BYTES=0-9', 0, 9],
  ['  bytes=0-9  ', 0, 9],
  ['bytes=0-9,10-19', 0, 19],
  ['bytes=10-19, 0-12', 0, 19],
  ['bytes=0-9,,', 0, 9],
  ['bytes=0-9, 100-', 0, 9],
  ['bytes=200-300, -1', 99, 99],
  [`bytes=${'0-9,'.repeat(1000)}0-9`, 0, 9],
])('%s is a part', (range, start, end) => {
  expect(select(range)).toEqual({ start, end });
});

test.each([
  null,
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=,',
  'bytes=5-2',
  'bytes=0-9,5-2',
  'bytes=a-b',
  'bytes=0x1-5',
  'bytes=1.5-3',
  'bytes=--5',
  'bytes=+1-5',
  'bytes=0-9;x',
  'bytes = 0-9',
  'lines=0-9',
  'bytes=0-0,50-59',
  'bytes=0-9, 20-29, 40-',
])('%p is the whole', (range) => {
  expect(select(range)).toBeNull();
});

test.each([
  ['bytes=100-', 100],
  ['bytes=100-200', 100],
  ['bytes=-0', 100],
  ['bytes=99999999999999999999-', 100],
  ['bytes=100-,200-300', 100],
  ['bytes=0-', 0],
  ['bytes=0-0', 0],
  ['bytes=-0', 0],
])('%s of %i bytes is not satisfiable', (range, size) => {
  expect(() => select(range, size)).toThrow(expect.objectContaining({ code: 'RANGE_NOT_SATISFIABLE', size }));
});

test('the last bytes of nothing are nothing', () => {
  expect(select('bytes=-5', 0)).toBeNull();
});

test('a range of a version that is not current is the whole, also when it lies outside', () => {
  expect(select('bytes=0-9', 100, { 'If-Range': ETAG })).toEqual({ start: 0, end: 9 });
  for (const other of [`W/${ETAG}`, '"older"', 'current', 'Sat, 21 Nov 2026 07:20:21 GMT', '']) {
    expect(select('bytes=0-9', 100, { 'If-Range': other })).toBeNull();
    expect(select('bytes=200-', 100, { 'If-Range': other })).toBeNull();
  }
});

test('only GET has ranges', () => {
  expect(select('bytes=0-9', 100, {}, 'HEAD')).toBeNull();
  expect(select('bytes=200-', 100, {}, 'POST')).toBeNull();
});

test('whatever the header is, the part lies within the content', () => {
  const spec = fc
    .tuple(fc.option(fc.nat(300)), fc.option(fc.nat(300)))
    .map((ends) => ends.map((n) => n ?? '').join('-'));
  const header = fc.array(spec, { minLength: 1, maxLength: 4 }).map((specs) => `bytes=${specs.join(',')}`);
  fc.assert(
    fc.property(header, fc.nat(300), (range, size) => {
      try {
        const part = select(range, size);
        if (part === null) return;
        expect(part.start).toBeGreaterThanOrEqual(0);
        expect(part.end).toBeGreaterThanOrEqual(part.start);
        expect(part.end).toBeLessThan(size);
      } catch (error) {
        if (!(error instanceof PerchError)) throw error;
      }
    }),
  );
});

test('If-Range may be the date of a content that has only one form, exactly as it was sent', () => {
  const date = 'Sat, 21 Nov 2026 07:20:21 GMT';
  const selectDated = (ifRange: string, modified: string | null) => {
    const headers = { Range: 'bytes=0-9', 'If-Range': ifRange };
    return selectRange(new Request('http://localhost/', { headers }), 100, ETAG, modified);
  };
  expect(selectDated(date, date)).toEqual({ start: 0, end: 9 });
  expect(selectDated(ETAG, date)).toEqual({ start: 0, end: 9 });
  for (const other of [
    'Sat, 21 Nov 2026 07:20:20 GMT',
    'Sat, 21 Nov 2026 07:20:22 GMT',
    'Saturday, 21-Nov-26 07:20:21 GMT',
    '',
    'null',
  ])
    expect(selectDated(other, date)).toBeNull();
  for (const ifRange of [date, '', 'null']) expect(selectDated(ifRange, null)).toBeNull();
});
