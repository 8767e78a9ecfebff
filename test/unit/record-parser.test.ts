import { expect, test } from 'bun:test';
import { createRecordParser, encodedItem } from '../../shared/adapters/cache/redis-records.ts';
import { freshItem, liveRecord } from '../contracts/cache/fixtures.ts';

const record = (): string => encodedItem(liveRecord(freshItem()));

test('a record that is asked for again and again is parsed once, however many others come between', () => {
  const parse = createRecordParser();
  const hot = record();
  const itemRecord = parse(hot);
  for (let others = 0; others < 2_000; others++) {
    parse(record());
    expect(parse(hot)).toBe(itemRecord);
  }
});

test('of the others only so many are kept', () => {
  const parse = createRecordParser();
  const first = record();
  const itemRecord = parse(first);
  for (let others = 0; others < 2_000; others++) parse(record());
  expect(parse(first)).not.toBe(itemRecord);
  expect(parse(first)).toEqual(itemRecord);
});
