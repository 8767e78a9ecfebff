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
