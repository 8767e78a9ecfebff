import { expect, test } from 'bun:test';
import { pager } from '../../../services/gateway/features/admin/console/parts.ts';
import { wordsIn } from '../../../services/gateway/features/admin/console/words.ts';

const words = wordsIn('en');

/** The words of a pager, and the offsets that its links lead to. */
function paged(offset: number, total: number, limit = 25) {
  const markup = pager(words, '/admin/reports', new URLSearchParams(), { offset, limit, total }).toString();
  const leadTo = (rel: string): number | null => {
    const [, address = null] = new RegExp(`href="([^"]*)" rel="${rel}"`).exec(markup) ?? [];
    return address === null ? null : Number(new URL(address, 'http://x').searchParams.get('offset') ?? 0);
  };
  const [, range] = /<span>([^<]*)</.exec(markup) ?? [];
  return [range, leadTo('prev'), leadTo('next')];
}

test.each([
  [0, 0, ['Nothing', null, null]],
  [0, 50, ['1 to 25 of 50', null, 25]],
  [25, 50, ['26 to 50 of 50', 0, null]],
  [30, 50, ['31 to 50 of 50', 5, null]],
  [50, 50, ['Nothing', 25, null]],
  [500, 51, ['Nothing', 50, null]],
  [25, 0, ['Nothing', 0, null]],
])('from %d of %d', (offset, total, expected) => {
  expect(paged(offset, total)).toEqual(expected);
});
