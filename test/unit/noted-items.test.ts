import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { createNotedItems } from '../../shared/adapters/cache/noted-items.ts';
import type { RedisClient } from '../../shared/adapters/cache/redis-client.ts';

const SPAN_MS = 5_000;
const STEP_MS = 3_600_000;

afterEach(() => void setSystemTime());

/** Takes what is sent to it, and answers nothing. */
function noting() {
  const noted = createNotedItems(SPAN_MS, [{ key: 'last', keeps: 'GT' }]);
  let taken: Array<string | number> = [];
  const redis = {
    zadd: async (_key: string, _keeps: string, ...scored: Array<string | number>) => {
      taken = scored;
    },
  } as unknown as RedisClient;
  /** The items of the next write; `isFailed`: and it fails. */
  const write = (isFailed = false): string[] => {
    taken = [];
    const sent = noted.send(redis);
    for (const send of sent?.commands ?? []) void send();
    sent?.settle(sent.commands.map(() => (isFailed ? { error: new Error('lost') } : { value: 1 })));
    return taken.filter((_, at) => at % 2 === 1).map(String);
  };
  return { noted, write };
}

test('an item is noted once in a span, and anew when the clock was set back', () => {
  const { noted, write } = noting();
  setSystemTime(Date.now() + STEP_MS);
  noted.note('a');
  expect(write()).toEqual(['a']);
  noted.note('a');
  expect(write()).toEqual([]);
  setSystemTime();
  noted.note('a');
  expect(write()).toEqual(['a']);
});

/** The next write that carries anything: what failed leaves again after a pause. */
async function nextWrite(write: () => string[]): Promise<string[]> {
  for (;;) {
    const items = write();
    if (items.length > 0) return items;
    await Bun.sleep(20);
  }
}

test('items whose command failed leave with a later write, though nobody notes them again', async () => {
  const { noted, write } = noting();
  for (const item of ['a', 'b']) noted.note(item);
  expect(write(true)).toEqual(['a', 'b']);
  expect(await nextWrite(() => write(true))).toEqual(['a', 'b']);
  noted.reset();
  expect(await nextWrite(write)).toEqual(['a', 'b']);
  expect(write()).toEqual([]);
});

test('of many such items each write carries a part', async () => {
  const { noted, write } = noting();
  const items = Array.from({ length: 2_500 }, (_, n) => `item ${n}`);
  for (const item of items) noted.note(item);
  write(true);
  const first = await nextWrite(write);
  expect(first.length).toBeLessThan(items.length);
  const left = new Set(items).difference(new Set(first));
  while (left.size > 0) for (const item of write()) left.delete(item);
  expect(write()).toEqual([]);
});

test('an item that failed is noted at once when it is viewed again', () => {
  const { noted, write } = noting();
  noted.note('a');
  write(true);
  noted.note('a');
  expect(write()).toEqual(['a']);
});
