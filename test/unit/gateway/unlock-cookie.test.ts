import { expect, test } from 'bun:test';
import { createUnlockCookies } from '../../../services/gateway/access/unlock-cookie.ts';
import type { LiveRoute } from '../../../shared/items/route.ts';

const cookies = createUnlockCookies('a secret of thirty-two characters', true);
const forged = `perch_unlock=${Math.floor(Date.now() / 1000) + 3600}.${'x'.repeat(43)}`;

const route: LiveRoute = {
  ...{ namespace: 'public', id: 'page', version: 1, expiresAt: 0, createdAt: 0, updatedAt: 0 },
  ...{ state: 'live', kind: 'html', ownerHash: 'owner', passwordHash: 'hash' },
  page: {
    ...{ format: 'HTML', title: '', filename: null, contentType: 'text/html', showTopBar: null },
    ...{ blobKey: 'aa/b', viewKey: null, sha256: 'sum' },
  },
};

const issued = (): string => cookies.issue(route).split(';', 1)[0] ?? '';

test('a cookie opens its item only, while its password stays', () => {
  expect(cookies.opens(route, issued())).toBe(true);
  expect(cookies.opens({ ...route, id: 'other' }, issued())).toBe(false);
  expect(cookies.opens({ ...route, passwordHash: 'new' }, issued())).toBe(false);
  expect(cookies.opens(route, null)).toBe(false);
  expect(cookies.opens(route, forged)).toBe(false);
});

test('a foreign cookie of the same name does not hide the right one', () => {
  expect(cookies.opens(route, `${forged}; ${issued()}`)).toBe(true);
  expect(cookies.opens(route, `a=b; ${issued()}; ${forged}`)).toBe(true);
  expect(cookies.opens(route, `x${issued()}; ${forged}`)).toBe(false);
});
