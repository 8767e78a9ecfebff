import { LRUCache } from 'lru-cache';

import type { CachedEntry } from '../../items/entry.ts';
import { type ItemRecord, isOpen } from '../../items/item-record.ts';
import type { CachePart } from '../../ports/cache.ts';

/**
 * Redis keys of an item (`itemKey`). The hash tag keeps them in one slot of a cluster. The number says what an item record holds:
 * records of an earlier release are not taken for ones of this.
 */
export const recordKey = (item: string): string => `record:1:{${item}}`;
export const viewsKey = (item: string): string => `views:{${item}}`;
/** There while the counter does not say what was counted before it: no item record was known when it began. */
export const unseededKey = (item: string): string => `unseeded:{${item}}`;
/** The short code of the item that the counter is of, while no item record says so. */
export const codeKey = (item: string): string => `code:{${item}}`;
/** The address of the item at a host, a label or an owner's domain, as an `itemKey`. No label has a dot in it. */
export const hostKey = (name: string): string => `label:${name}`;
/**
 * A hash: `<part>.told` and `<part>.database` are the mark of a part, `<part>.run` and `<part>.line` the identity
 * of the server on which it was set (`redis-trust.ts`).
 */
export const STATE_KEY = '{state}:parts';
/** A sorted set of the items of which something was put into a part lately, by when that was. */
export const recentKey = (part: CachePart): string => `{state}:recent:${part}`;
/**
 * Sorted sets of all items whose counters have grown, by the ends of the first and of the last span of time in which they
 * did: one that is read all the time is due by the first, and stays noted by the last.
 */
export const VIEWED_KEYS = { first: '{viewed}:first', last: '{viewed}:last' };
/** A hash of all known keys of a store, so that they end, and are removed, as one. */
export const entriesKey = (item: string): string => `entries:{${item}}`;

/**
 * `<O|C|R><version>|<short code>|<JSON>`: O for open (a read counts at once), C for closed by a password, R for removed,
 * which has no code.
 */
export function encodedItem(itemRecord: ItemRecord): string {
  const state = isOpen(itemRecord) ? 'O' : itemRecord.state === 'live' ? 'C' : 'R';
  return `${state}${itemRecord.version}|${codeOf(itemRecord)}|${JSON.stringify(itemRecord)}`;
}

/** The code that tells an item from another at the same address. */
export const codeOf = (itemRecord: ItemRecord): string =>
  itemRecord.state === 'live' ? itemRecord.code : '';

/** A hot item's record is the same string each time: those parsed or asked for last are kept. */
export function createRecordParser(): (record: string) => ItemRecord {
  const recent = new LRUCache<string, ItemRecord>({ max: 512 });
  return (record) => {
    const known = recent.get(record);
    if (known !== undefined) return known;
    const start = record.indexOf('|', record.indexOf('|') + 1) + 1;
    const itemRecord = JSON.parse(record.slice(start)) as ItemRecord;
    recent.set(record, itemRecord);
    return itemRecord;
  };
}

/**
 * `<sequence>|<JSON without the value>`, then a line break and the value; a removed key has neither. With the value
 * outside the JSON a read costs the same whatever its size, less than a look-up of the parsed record by its text would.
 */
export function entryRecord({ entry, ...record }: CachedEntry): string {
  if (entry === null) return `${record.sequence}|${JSON.stringify({ ...record, entry })}`;
  const { value, ...rest } = entry;
  return `${record.sequence}|${JSON.stringify({ ...record, entry: rest })}\n${value}`;
}

/** Parses records. Readers of one key in one tick get the same string, so the last record is kept for them. */
export function createEntryParser(): (text: string) => CachedEntry {
  let last: { text: string; record: CachedEntry } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, record: parseEntryRecord(text) };
    return last.record;
  };
}

function parseEntryRecord(text: string): CachedEntry {
  const start = text.indexOf('|') + 1;
  // JSON.stringify escapes every line break: the first one ends the JSON, whatever the value has.
  const end = text.indexOf('\n');
  if (end < 0) return JSON.parse(text.slice(start)) as CachedEntry;
  const record = JSON.parse(text.slice(start, end)) as CachedEntry;
  return record.entry === null
    ? record
    : { ...record, entry: { ...record.entry, value: text.slice(end + 1) } };
}
