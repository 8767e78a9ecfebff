import { beforeEach, expect, test } from 'bun:test';
import { createMemoryEntries, type MemoryEntries } from '../../../shared/adapters/cache/memory-entries.ts';
import { cachedEntry, removedEntry } from './fixtures.ts';

const STORE = 'public/a';
const LATER = 1_000;
/** Room for some 25 of the records with a long value. */
const MAX_BYTES = 100_000;
const LONG = 'x'.repeat(1_500);
let now: number;
let entries: MemoryEntries;

beforeEach(() => {
  now = 0;
  entries = createMemoryEntries({ clock: { now: () => now }, maxBytes: MAX_BYTES });
});

/** Fills the room with records of another store. */
function crowdOut(): void {
  for (let index = 0; index < 50; index++)
    entries.put('public/crowd', cachedEntry(`${index}`, 1, LONG), LATER);
}

test('what all records take is bounded: the least recently read ones go', () => {
  const keys = Array.from({ length: 50 }, (_, index) => `${index}`);
  for (const key of keys) {
    entries.put(STORE, cachedEntry(key, 1, LONG), LATER);
    entries.get(STORE, '0');
  }
  const kept = keys.filter((key) => entries.get(STORE, key) !== null);
  expect(kept.length).toBeWithin(10, 40);
  expect(kept).toEqual(['0', ...keys.slice(keys.length - kept.length + 1)]);
});

test('what came after an evicted record stays the newest: older values are still refused', () => {
  entries.put(STORE, cachedEntry('changed', 5), LATER);
  entries.put(STORE, removedEntry('removed', 6), LATER);
  crowdOut();
  for (const key of ['changed', 'removed']) {
    expect(entries.get(STORE, key)).toBeNull();
    expect(entries.put(STORE, cachedEntry(key, 4), LATER)).toBe(false);
    expect(entries.get(STORE, key)).toBeNull();
  }
  expect(entries.put(STORE, cachedEntry('changed', 5), LATER)).toBe(true);
  expect(entries.put(STORE, cachedEntry('removed', 7), LATER)).toBe(true);
  expect(entries.get(STORE, 'changed')).toEqual(cachedEntry('changed', 5));
  expect(entries.get(STORE, 'removed')).toEqual(cachedEntry('removed', 7));
});

test('a record read again after its eviction can be forgotten and evicted anew', () => {
  for (const sequence of [5, 6]) {
    entries.put(STORE, cachedEntry('a', sequence), LATER);
    crowdOut();
    expect(entries.get(STORE, 'a')).toBeNull();
    expect(entries.put(STORE, cachedEntry('a', sequence - 1), LATER)).toBe(false);
  }
  entries.put(STORE, cachedEntry('a', 7), LATER);
  entries.forget(STORE, 'a', 7);
  expect(entries.get(STORE, 'a')).toBeNull();
  expect(entries.put(STORE, cachedEntry('a', 7), LATER)).toBe(true);
});

test('all records of a store end at once, at the latest end any of them was told', () => {
  entries.put(STORE, cachedEntry('a', 1), 200);
  entries.put(STORE, cachedEntry('b', 2), 100);
  now = 199;
  expect(entries.get(STORE, 'b')).toEqual(cachedEntry('b', 2));
  now = 200;
  expect(entries.get(STORE, 'a')).toBeNull();
  expect(entries.get(STORE, 'b')).toBeNull();
});

test('an end set for the store holds, earlier or later, and brings nothing back', () => {
  entries.put(STORE, cachedEntry('a', 1), 100);
  entries.endAt(STORE, 300);
  now = 250;
  expect(entries.get(STORE, 'a')).toEqual(cachedEntry('a', 1));
  entries.endAt(STORE, 260);
  now = 260;
  entries.endAt(STORE, 500);
  expect(entries.get(STORE, 'a')).toBeNull();
  entries.endAt('public/unknown', 500);
});

test('clearing a store leaves the others', () => {
  for (const store of [STORE, 'public/ab']) entries.put(store, cachedEntry('a', 1), LATER);
  entries.clear(STORE);
  expect(entries.get(STORE, 'a')).toBeNull();
  expect(entries.get('public/ab', 'a')).toEqual(cachedEntry('a', 1));
});
