import { afterEach, expect, setSystemTime, test } from 'bun:test';
import { createUnlockCookies } from '../../../services/gateway/auth/unlock-proofs.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';

const cookies = createUnlockCookies('a secret of thirty-two characters');
const forged = `perch_unlock=${Math.floor(Date.now() / 1000) + 3600}.${'x'.repeat(43)}`;

const record: LiveItemRecord = {
  namespace: 'public',
  id: 'page',
  version: 1,
  expiresAt: 0,
  createdAt: 0,
  updatedAt: 0,
  state: 'live',
  kind: 'json',
  code: 'abcdefg',
  title: '',
  tags: [],
  sizeBytes: 2,
  ownerHash: 'owner',
  passwordHash: 'hash',
  content: { blobKey: 'aa/b', sha256: 'sum' },
};

/** Proofs of somebody who came in by the password: none is needed. */
const NOTHING = { ticket: null, cookies: null };

afterEach(() => {
  setSystemTime();
});

const issued = (): string => cookies.issue(record, true).split(';', 1)[0] ?? '';

test('a cookie opens its item only, while its password stays', () => {
  expect(cookies.opens(record, issued())).toBe(true);
  expect(cookies.opens({ ...record, id: 'other' }, issued())).toBe(false);
  expect(cookies.opens({ ...record, passwordHash: 'new' }, issued())).toBe(false);
  expect(cookies.opens(record, null)).toBe(false);
  expect(cookies.opens(record, forged)).toBe(false);
});

test('a foreign cookie of the same name does not hide the right one', () => {
  expect(cookies.opens(record, `${forged}; ${issued()}`)).toBe(true);
  expect(cookies.opens(record, `a=b; ${issued()}; ${forged}`)).toBe(true);
  expect(cookies.opens(record, `x${issued()}; ${forged}`)).toBe(false);
});

test('a ticket opens its item only, while its password stays and its hour lasts', () => {
  const ticket = cookies.ticket(record, NOTHING);
  expect(cookies.opensByTicket(record, ticket)).toBe(true);
  expect(cookies.opensByTicket({ ...record, id: 'other' }, ticket)).toBe(false);
  expect(cookies.opensByTicket({ ...record, passwordHash: 'new' }, ticket)).toBe(false);
  const [until = '', signature = ''] = ticket.split('.');
  expect(cookies.opensByTicket(record, `${Number(until) + 1}.${signature}`)).toBe(false);
  expect(cookies.opensByTicket(record, `1.${signature}`)).toBe(false);
  expect(cookies.opensByTicket(record, '')).toBe(false);
});

test('a ticket for whoever came in by a ticket or cookie lasts no longer than that', () => {
  const start = Date.now();
  const ticket = cookies.ticket(record, NOTHING);
  const cookie = issued();
  setSystemTime(start + 3_500_000);
  expect(cookies.ticket(record, { ticket, cookies: null })).toBe(ticket);
  expect(cookies.ticket(record, { ticket: null, cookies: cookie })).toBe(cookie.split('=')[1] ?? '');
  expect(cookies.ticket(record, { ticket: 'wrong', cookies: forged })).not.toBe(ticket);
  setSystemTime(start + 3_601_000);
  expect(cookies.opensByTicket(record, ticket)).toBe(false);
  expect(cookies.ticket(record, { ticket, cookies: cookie })).not.toBe(ticket);
});
