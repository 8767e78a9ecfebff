import { expect, test } from 'bun:test';
import { errors } from '../../shared/errors.ts';
import { createItemTurns, WAITING_FOR_A_ROW } from '../../shared/items/item-turns.ts';
import { soon } from '../call-context.ts';

const settled = () => Bun.sleep(0);

/** Turns, and changes that go on until `end` is called with their name. */
function heldChanges() {
  const turns = createItemTurns(() => errors.refused('changes'));
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    turns,
    begun,
    async change(name: string, { row = 'public/a', client = 'client', ms = 60_000 } = {}): Promise<string> {
      return await turns.take(row, { ...soon(ms), client }, 'a change', async () => {
        begun.push(name);
        const held = Promise.withResolvers<void>();
        ends.set(name, held.resolve);
        await held.promise;
        return name;
      });
    },
    async end(name: string) {
      ends.get(name)?.();
      await settled();
    },
  };
}

const REFUSED = { code: 'UNAVAILABLE', isRefusal: true };

test('changes of a row go one after the other, in the order in which they came; those of another row beside them', async () => {
  const { turns, change, end, begun } = heldChanges();
  const all = [change('first'), change('second'), change('third'), change('other', { row: 'public/b' })];
  await settled();
  expect([begun, turns.rows]).toEqual([['first', 'other'], 2]);
  for (const name of ['first', 'second', 'third', 'other']) await end(name);
  expect(begun).toEqual(['first', 'other', 'second', 'third']);
  expect(await Promise.all(all)).toEqual(['first', 'second', 'third', 'other']);
  expect(turns.rows).toBe(0);
});

test('a client that comes later goes before what another one has waiting', async () => {
  const { change, end, begun } = heldChanges();
  const names = ['a1', 'a2', 'a3', 'b1'];
  const all = names.map((name) => change(name, { client: name.slice(0, 1) }));
  await settled();
  for (const name of ['a1', 'b1', 'a2', 'a3']) await end(name);
  expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
  expect(await Promise.all(all)).toEqual(names);
});

test('a change whose turn does not come in time is not begun, and leaves nothing behind', async () => {
  const { turns, change, end, begun } = heldChanges();
  const first = change('first');
  // 300 ms are kept for the commit.
  const late = change('late', { ms: 310 });
  const second = change('second');
  await expect(late).rejects.toMatchObject({ code: 'TIMEOUT', mayBeDone: false });
  await end('first');
  await end('second');
  expect(await Promise.all([first, second])).toEqual(['first', 'second']);
  expect([begun, turns.rows]).toEqual([['first', 'second'], 0]);
});

test('a change that fails gives its turn to the next one', async () => {
  const { turns, change, end } = heldChanges();
  const failing = turns.take('public/a', soon(), 'a change', () => Promise.reject(new Error('failed')));
  const next = change('next');
  await expect(failing).rejects.toThrow('failed');
  await end('next');
  expect([await next, turns.rows]).toEqual(['next', 0]);
});

test('of the changes that may wait for a row half are for one client; one more is refused at once', async () => {
  const { turns, change, end, begun } = heldChanges();
  const half = WAITING_FOR_A_ROW / 2;
  const names = (client: string, count: number) => Array.from({ length: count }, (_, n) => `${client}${n}`);
  // One of them has its turn.
  const all = names('a', 1 + half).map((name) => change(name, { client: 'a' }));
  await expect(change('more', { client: 'a' })).rejects.toMatchObject(REFUSED);
  all.push(...names('b', half).map((name) => change(name, { client: 'b' })));
  await expect(change('more', { client: 'c' })).rejects.toMatchObject(REFUSED);
  const other = change('other', { row: 'public/b', client: 'a' });
  await settled();
  await end('other');
  expect(await other).toBe('other');
  // Each end begins the next one.
  for (let place = 0; place < all.length + 1; place++) await end(begun[place] ?? '');
  expect((await Promise.all(all)).length).toBe(1 + 2 * half);
  expect(turns.rows).toBe(0);
});
