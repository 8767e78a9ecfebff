import { expect, test } from 'bun:test';
import { createEntryTickets } from '../../../services/gateway/auth/unlock-proofs.ts';
import type { ReadDependencies } from '../../../services/gateway/items/dependencies.ts';
import { enterByHost } from '../../../services/gateway/items/item-redirects.ts';
import type { LiveItemRecord } from '../../../shared/items/item-record.ts';
import { countedUses } from './counted-uses.ts';
import { contextWith } from './request-context.ts';

const RECORD = { namespace: 'n', id: 'a', code: 'c', passwordHash: 'hash' } as LiveItemRecord;

test('a read that is tried again is still opened by its ticket for one use, another read is not', async () => {
  const counted = countedUses();
  const entryTickets = createEntryTickets('secret', counted);
  const deps = { entryTickets, itemHosts: { modeOf: () => 'subdomain' } } as unknown as ReadDependencies;
  const ticket = entryTickets.issue(RECORD);
  const read = () => Object.assign(contextWith(null, { Accept: '*/*' }), { search: `ticket=${ticket}` });

  const first = read();
  expect(await enterByHost(deps, first, RECORD)).toBeNull();
  expect(await enterByHost(deps, first, RECORD)).toBeNull();
  expect([...counted.uses.values()]).toEqual([1]);
  // The password has changed meanwhile.
  await expect(enterByHost(deps, first, { ...RECORD, passwordHash: 'other' })).rejects.toThrow();
  await expect(enterByHost(deps, read(), RECORD)).rejects.toThrow();
});
