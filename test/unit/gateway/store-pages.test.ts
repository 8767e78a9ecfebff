import { expect, test } from 'bun:test';
import type { Server } from 'bun';
import pino from 'pino';
import { createOwnViews } from '../../../services/gateway/auth/signed-tokens.ts';
import { createUnlockCookies } from '../../../services/gateway/auth/unlock-proofs.ts';
import { RequestContext } from '../../../services/gateway/http/request-context.ts';
import type { StoreDependencies } from '../../../services/gateway/kinds/kv/dependencies.ts';
import { createStoreEntries } from '../../../services/gateway/kinds/kv/entries.ts';
import { createStoreResponder } from '../../../services/gateway/kinds/kv/respond.ts';
import { storeTable } from '../../../services/gateway/kinds/kv/store-page.ts';
import { createStoreTables } from '../../../services/gateway/kinds/kv/store-tables.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { listEntries } from '../../../shared/contracts/kv.ts';
import { handler, serve } from '../../../shared/contracts/serve.ts';
import type { ItemRecordOf } from '../../../shared/items/item-record.ts';

const DAY_MS = 86_400_000;

const RECORD: ItemRecordOf<'kv'> = {
  namespace: 'public',
  id: 'store',
  version: 1,
  expiresAt: DAY_MS,
  state: 'live',
  kind: 'kv',
  code: 'abcdefg',
  title: '',
  tags: [],
  sizeBytes: 1,
  createdAt: 1,
  updatedAt: 1,
  ownerHash: 'owner',
  passwordHash: null,
  content: {},
};

/** Pages of one store, whose keys a test changes, and how many tables were made for them. */
async function pages() {
  let made = 0;
  const sequences = [1, 2];
  const bus = createInProcessBus({ maxPayloadBytes: 1_048_576 });
  await serve(
    bus,
    'kv',
    [
      handler(listEntries, async () => ({
        entries: sequences.map((sequence, at) => ({
          key: `key ${at}`,
          value: `${sequence}.50`,
          sizeBytes: 4,
          version: 1,
          sequence,
          updatedAt: 1,
        })),
      })),
    ],
    pino({ level: 'silent' }),
  );
  const deps = {
    storeEntries: createStoreEntries(bus),
    config: { contentBaseUrl: null },
    responseMemory: { holdMade: () => undefined },
    cookies: createUnlockCookies('secret'),
    ownViews: createOwnViews('secret'),
  } as unknown as StoreDependencies;
  const respond = createStoreResponder(
    deps,
    createStoreTables((input) => {
      made += 1;
      return storeTable(input);
    }),
  );
  const ask = async (address: string, record = RECORD): Promise<string> => {
    const server = { requestIP: () => ({ address }) } as unknown as Server<unknown>;
    const request = new Request('http://localhost/public/store?view=page');
    const context = new RequestContext(request, server, { baseUrl: null, trustProxy: 0, port: 80 });
    const read = { context, record, sub: null, entry: null, views: 1, ticketPrefix: '' };
    return await (await respond(read)).text();
  };
  return { ask, sequences, made: () => made };
}

test('readers of a store share its table, those who ask at once, too, until one of its keys has changed', async () => {
  const { ask, sequences, made } = await pages();
  const both = await Promise.all([ask('10.0.0.1'), ask('10.0.0.2')]);
  for (const page of both) expect(page).toContain('>2.50</pre>');
  await ask('10.0.0.1');
  expect(made()).toBe(1);
  sequences[1] = 3;
  expect(await ask('10.0.0.1')).toContain('>3.50</pre>');
  expect(made()).toBe(2);
  sequences.pop();
  expect(await ask('10.0.0.1')).not.toContain('>3.50</pre>');
  expect(made()).toBe(3);
});

test('a renewal and a title show on the page though its table stays, and each reader has an address of its own', async () => {
  const { ask, made } = await pages();
  const ownOf = (page: string) => /data-own="([^"]*)"/.exec(page)?.[1];
  const first = await ask('10.0.0.1');
  const renewed = await ask('10.0.0.2', { ...RECORD, version: 2, expiresAt: 2 * DAY_MS, title: 'Renewed' });
  expect(first).toContain('datetime="1970-01-02T00:00:00.000Z"');
  expect(renewed).toContain('datetime="1970-01-03T00:00:00.000Z"');
  expect(renewed).toContain('<h1><bdi>Renewed</bdi></h1>');
  expect(ownOf(renewed)).not.toBe(ownOf(first));
  expect(made()).toBe(1);
});
