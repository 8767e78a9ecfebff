import { expect, test } from 'bun:test';
import { createRouteParser, routeRecord } from '../../shared/adapters/cache/redis-records.ts';
import { freshItem, liveRoute } from '../contracts/cache/fixtures.ts';

const record = (): string => routeRecord(liveRoute(freshItem()));

test('a record that is asked for again and again is parsed once, however many others come between', () => {
  const parse = createRouteParser();
  const hot = record();
  const route = parse(hot);
  for (let others = 0; others < 2_000; others++) {
    parse(record());
    expect(parse(hot)).toBe(route);
  }
});

test('of the others only so many are kept', () => {
  const parse = createRouteParser();
  const first = record();
  const route = parse(first);
  for (let others = 0; others < 2_000; others++) parse(record());
  expect(parse(first)).not.toBe(route);
  expect(parse(first)).toEqual(route);
});
