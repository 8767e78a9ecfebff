import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import { createSignedTokens } from '../../../services/gateway/auth/signed-tokens.ts';
import { createUnlockForms } from '../../../services/gateway/auth/unlock-form.ts';
import { createEntryTickets } from '../../../services/gateway/auth/unlock-proofs.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import { countedUses } from './counted-uses.ts';
import { contextWith } from './request-context.ts';

const ITEM = { namespace: 'n', id: 'a' };
const RECORD = { ...ITEM, code: 'c', passwordHash: 'hash' } as LiveItemRecord;
const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;
const REFUSED = { code: 'CROSS_SITE_FORBIDDEN' };

afterEach(() => void setSystemTime());
const later = (ms: number): void => void setSystemTime(new Date(Date.now() + ms));

describe('a ticket to the host of an item', () => {
  const tickets = () => createEntryTickets('secret', countedUses());

  test('opens the item within a minute, and once', async () => {
    const entry = tickets();
    const ticket = entry.issue(RECORD);
    later(MINUTE_MS - 2_000);
    for (const isHead of [true, true, false]) expect(await entry.redeem(RECORD, ticket, isHead)).toBe(true);
    for (const isHead of [true, false]) expect(await entry.redeem(RECORD, ticket, isHead)).toBe(false);
  });

  test.each([
    ['after a minute', RECORD, MINUTE_MS],
    ['with another password', { ...RECORD, passwordHash: 'other' }, 0],
    ['that is another one', { ...RECORD, id: 'b' }, 0],
  ])('does not open an item %s', async (_, record, ms) => {
    const entry = tickets();
    const ticket = entry.issue(RECORD);
    later(ms);
    expect(await entry.redeem(record as LiveItemRecord, ticket, false)).toBe(false);
  });
});

describe('the token of a password form on the content host', () => {
  const forms = createUnlockForms('secret');
  /** As a page sends a form. */
  const sent = (headers: Record<string, string> = { Origin: 'null' }) =>
    Object.assign(contextWith(null, headers), { onContentHost: true });
  const from = (clientKey: string) => Object.assign(sent(), { clientKey });
  const tokenFor = (clientKey: string): string => forms.csrfTokenFor(from(clientKey), ITEM) ?? '';

  test('lets its own client send the form of its item, for a day', () => {
    const token = tokenFor('anna');
    expect(() => forms.requireForm(from('anna'), ITEM, token)).not.toThrow();
    expect(() => forms.requireForm(from('bert'), ITEM, token)).toThrow(expect.objectContaining(REFUSED));
    expect(() => forms.requireForm(from('anna'), { ...ITEM, id: 'b' }, token)).toThrow(
      expect.objectContaining(REFUSED),
    );
    later(DAY_MS);
    expect(() => forms.requireForm(from('anna'), ITEM, token)).toThrow(expect.objectContaining(REFUSED));
  });

  test('is asked of pages, and not of programs', () => {
    expect(() => forms.requireForm(sent(), ITEM, '')).toThrow(expect.objectContaining(REFUSED));
    expect(() => forms.requireForm(sent({ 'Sec-Fetch-Site': 'same-origin' }), ITEM, '')).toThrow(
      expect.objectContaining(REFUSED),
    );
    expect(() => forms.requireForm(sent({}), ITEM, '')).not.toThrow();
  });

  test('is given to a tab, and not to a script of a page', () => {
    expect(forms.csrfTokenFor(sent({ 'Sec-Fetch-Dest': 'document' }), ITEM)).not.toBeNull();
    expect(forms.csrfTokenFor(sent({ 'Sec-Fetch-Dest': 'empty' }), ITEM)).toBeNull();
    expect(forms.csrfTokenFor(contextWith(null), ITEM)).toBeNull();
  });
});

test('a signed text is none of another purpose, subject or time', () => {
  const tokens = createSignedTokens('secret', 'one');
  const until = Math.floor(Date.now() / 1000) + 60;
  const token = tokens.sign('subject', until);
  expect(tokens.verify('subject', token)).toBe(true);
  expect(tokens.verify('another', token)).toBe(false);
  expect(tokens.verify('subject', token.replace(/^\d+/, String(until + 1)))).toBe(false);
  expect(createSignedTokens('secret', 'two').verify('subject', token)).toBe(false);
  expect(createSignedTokens('other', 'one').verify('subject', token)).toBe(false);
});
