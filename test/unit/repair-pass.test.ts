import { expect, test } from 'bun:test';
import { COMMIT_LAG_MS, findStale, REMEMBERED_MS } from '../../shared/items/repair-pass.ts';

const reached = 1_000_000_000;
const database = { toldUntil: reached, databaseStart: 'this' };
const staleWith = (toldUntil: number, databaseStart = 'this') =>
  findStale({ toldUntil, databaseStart }, database);

test('a cache of unknown age is forgotten', () => {
  expect(findStale(null, database)).toEqual({ since: null, databaseWentBack: false });
});

test('one as old as the database remembers removals is told what it has lost; an older one is forgotten', () => {
  for (const toldUntil of [reached, reached - 1, reached - REMEMBERED_MS])
    expect(staleWith(toldUntil)).toEqual({ since: undefined, databaseWentBack: false });
  expect(staleWith(reached - REMEMBERED_MS - 1)).toEqual({ since: null, databaseWentBack: false });
});

test('one that knows of a later pass than the database shows that this went back', () => {
  for (const start of ['this', 'another'])
    expect(staleWith(reached + 1, start)).toEqual({ since: null, databaseWentBack: true });
});

test('after another start of the database it forgets what it was told since the last pass', () => {
  expect(staleWith(reached, 'another')).toEqual({ since: reached - COMMIT_LAG_MS, databaseWentBack: false });
});
