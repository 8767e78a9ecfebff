import { describe, expect, spyOn, test } from 'bun:test';
import { BlockList } from 'node:net';
import { createBlockMatcher } from '../../../services/gateway/admission/blocklist.ts';
import { endOfDuration } from '../../../services/gateway/features/admin/block-input.ts';
import type { BlockedClients } from '../../../shared/contracts/blocklist.ts';

const NOW = Date.UTC(2026, 10, 21);
const entry = (fields: Partial<BlockedClients>): BlockedClients => ({
  ip: null,
  uaPattern: null,
  expiresAt: null,
  ...fields,
});
const fits = (
  fields: Partial<BlockedClients>,
  clientIp: string,
  userAgent: string | null = 'Any/1',
): boolean => createBlockMatcher([entry({ ip: '198.51.100.99' }), entry(fields)])(clientIp, userAgent, NOW);

test.each([
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['203.0.113.0/24', '203.0.113.255', true],
  ['203.0.113.0/24', '203.0.114.0', false],
  ['203.0.113.77/24', '203.0.113.1', true],
  ['0.0.0.0/0', '192.0.2.1', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['203.0.113.7/32', '203.0.113.7', true],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::', false],
  ['2001:db8::7/128', '2001:db8::7', true],
  ['::/0', '2001:db8::7', true],
  ['0.0.0.0/0', 'unknown', false],
])('the network %s and the address %s: %p', (ip, address, expected) => {
  expect(fits({ ip }, address)).toBe(expected);
  expect(fits({ ip, expiresAt: NOW + 1 }, address)).toBe(expected);
});

test.each([
  ['BadBot', 'Mozilla (badbot/2.0)', true],
  ['BadBot', 'Bad Bot', false],
  ['bad*bot', 'bad and worse bot', true],
  ['bad*bot', 'bot bad', false],
  ['*/1.*', 'a/1.0', true],
  ['a*a', 'a', false],
  ['a*a', 'aa', true],
  ['.*', 'anything', false],
  ['.*', 'any.thing', true],
  ['(a+)+$', 'aaaaaaaa', false],
])('the pattern %s and the User-Agent %s: %p', (uaPattern, userAgent, expected) => {
  expect(fits({ uaPattern }, '192.0.2.1', userAgent)).toBe(expected);
});

test('a hostile pattern takes no long time', () => {
  const matches = createBlockMatcher([entry({ uaPattern: 'a*'.repeat(100) })]);
  for (let n = 0; n < 1_000; n++)
    expect(matches('192.0.2.1', `${'a'.repeat(99)}b`.repeat(5), NOW)).toBe(true);
});

test('with both an address and a pattern, both have to fit', () => {
  const both = { ip: '203.0.113.0/24', uaPattern: 'bot' };
  expect(fits(both, '203.0.113.7', 'A Bot')).toBe(true);
  expect(fits(both, '203.0.113.7', 'A Browser')).toBe(false);
  expect(fits(both, '203.0.114.7', 'A Bot')).toBe(false);
});

test('an entry ends at its moment', () => {
  for (const fields of [{ ip: '203.0.113.7' }, { uaPattern: 'any' }])
    for (const [expiresAt, expected] of [
      [NOW - 1, false],
      [NOW, false],
      [NOW + 1, true],
    ] as const)
      expect(fits({ ...fields, expiresAt }, '203.0.113.7')).toBe(expected);
});

/** Looks at lists of networks for one client. */
function looksFor(clientIp: string, entries: BlockedClients[]): { fits: boolean; looks: number } {
  const matches = createBlockMatcher(entries);
  const check = spyOn(BlockList.prototype, 'check');
  try {
    return { fits: matches(clientIp, 'Any/1', NOW), looks: check.mock.calls.length };
  } finally {
    check.mockRestore();
  }
}

test.each([
  ['with an end', { expiresAt: NOW + 1 }],
  ['with a pattern', { uaPattern: 'any' }],
  ['with both', { expiresAt: NOW + 1, uaPattern: 'any' }],
])('networks %s are looked through for clients alone that one of them has', (_, fields) => {
  const many = Array.from({ length: 300 }, (_, n) =>
    entry({ ip: `10.${n >> 8}.${n & 255}.0/24`, ...fields }),
  );
  for (const outside of ['10.1.44.0', '9.255.255.255', '2001:db8::7', 'unknown']) {
    const { fits: fitsOutside, looks } = looksFor(outside, many);
    expect([fitsOutside, looks <= 2]).toEqual([false, true]);
  }
  for (const inside of ['10.0.0.0', '10.1.43.255']) expect(looksFor(inside, many).fits).toBe(true);
  const ended = entry({ ...fields, ip: '203.0.113.0/24', expiresAt: NOW });
  expect(looksFor('203.0.113.7', [...many, ended]).fits).toBe(false);
});

test('a network that has ended hides none that has not', () => {
  const [ended, lasting] = [NOW, NOW + 1].map((expiresAt) => entry({ ip: '203.0.113.0/24', expiresAt }));
  const other = entry({ ip: '203.0.113.0/24', uaPattern: 'another' });
  for (const entries of [
    [ended, other, lasting],
    [lasting, other, ended],
  ])
    expect(
      looksFor(
        '203.0.113.7',
        entries.filter((one) => one !== undefined),
      ).fits,
    ).toBe(true);
  expect(looksFor('203.0.113.7', [other]).fits).toBe(false);
});

test('a pattern without a network holds beside networks, for everybody', () => {
  const entries = [entry({ ip: '203.0.113.0/24', expiresAt: NOW + 1 }), entry({ uaPattern: 'any' })];
  for (const client of ['203.0.113.7', '192.0.2.1', 'unknown'])
    expect(looksFor(client, entries).fits).toBe(true);
});

test('an empty list fits nobody', () => {
  expect(createBlockMatcher([])('192.0.2.1', null, NOW)).toBe(false);
});

describe('a duration', () => {
  const at = (text: string, from = '2026-01-31T10:00:00Z') => {
    const end = endOfDuration(text, Date.parse(from));
    return end === null ? null : new Date(end).toISOString();
  };

  test.each([
    ['P7D', '2026-02-07T10:00:00.000Z'],
    ['pt90m', '2026-01-31T11:30:00.000Z'],
    ['P1M', '2026-02-28T10:00:00.000Z'],
    ['P1Y', '2027-01-31T10:00:00.000Z'],
    ['P2W', '2026-02-14T10:00:00.000Z'],
    ['P1Y2M3DT4H5M6S', '2027-04-03T14:05:06.000Z'],
    ['PT1S', '2026-01-31T10:00:01.000Z'],
    ['P100Y', '2126-01-31T10:00:00.000Z'],
  ])('%s', (text, end) => expect(at(text)).toBe(end));

  test.each([
    '',
    'P',
    'PT',
    'P1',
    '7D',
    'P0D',
    'PT0S',
    'P-1D',
    'P1.5D',
    'P1DT',
    'P1S',
    'P101Y',
    'P999999D',
    'P1D '.repeat(2),
  ])('none: %p', (text) => expect(at(text)).toBe(null));
});
