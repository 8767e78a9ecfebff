import { expect, test } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createFairBudget } from '../../../services/gateway/admission/fair-budget.ts';
import type { GatewayApp } from '../../../services/gateway/app.ts';
import type { GatewayDependencies } from '../../../services/gateway/dependencies.ts';
import { createFailureLog } from '../../../services/gateway/error-response.ts';
import type { FastPathRead } from '../../../services/gateway/http/fast-path.ts';
import { createItemHosts } from '../../../services/gateway/http/hosts.ts';
import { createRequestHandler } from '../../../services/gateway/request-handler.ts';
import { createMemoryCache } from '../../../shared/adapters/cache/memory.ts';
import { systemClock } from '../../../shared/clock.ts';
import { errors } from '../../../shared/errors.ts';
import { createLoadShedding } from '../../../shared/load-shedding.ts';
import type { Cache } from '../../../shared/ports/cache.ts';
import { freshItem, liveRecord } from '../../contracts/cache/fixtures.ts';
import { fastPathRead } from './request-context.ts';

interface DoorOptions {
  handle?: GatewayApp['handle'];
  observe?: () => void;
  cache?: Cache;
}

/** A request handler behind which nothing answers before `answer` is called. */
function openHandler({ handle, observe = () => undefined, cache }: DoorOptions = {}) {
  const said: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });
  const { promise, resolve } = Promise.withResolvers<void>();
  let underWay = 0;
  const loadShedding = createLoadShedding(log);
  const deps = {
    accessEvents: { record: () => undefined },
    cache,
    config: { contentBaseUrl: null, trustProxy: 0 },
    itemHosts: createItemHosts(null),
    domains: { nameIn: () => null },
    log,
    failures: createFailureLog(log),
    loadShedding,
    slots: createFairBudget({ total: 10, refuse: () => loadShedding.shed('requests') }),
    metrics: {
      observe,
      requestStarted: () => {
        underWay += 1;
      },
      requestEnded: () => {
        underWay -= 1;
      },
      get underWay() {
        return underWay;
      },
    },
  } as unknown as GatewayDependencies;
  const app = {
    addressOf: (path) => ({
      methods: ['GET'],
      absent: new Set<string>(),
      takesUploads: false,
      surfaceFor: () => (path === '/healthz' ? 'static' : 'api'),
    }),
    document: () => Promise.reject(new Error('not asked for')),
    routes: [],
    handle:
      handle ??
      (async () => {
        await promise;
        return new Response('answered');
      }),
  } satisfies GatewayApp;
  const responders = {} as Parameters<typeof createRequestHandler>[1];
  const handler = createRequestHandler(deps, responders, app);
  const from = (address: string) =>
    ({ requestIP: () => ({ address }) }) as unknown as Parameters<typeof handler.answer>[1];
  return {
    said,
    handler,
    underWay: () => underWay,
    answer: resolve,
    ask: (path: string, address = '127.0.0.1', earlier?: FastPathRead) =>
      handler.answer(
        new Request(`http://localhost${path}`, { headers: { 'User-Agent': 'test/1' } }),
        from(address),
        earlier,
      ),
  };
}

test('a client has half of the slots; one line says that it was refused, and health has no bound', async () => {
  const { ask, answer, said } = openHandler();
  const asked = Array.from({ length: 5 }, () => ask('/api/stats'));
  const refused = await ask('/api/stats');
  await ask('/api/stats');
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('"refusals":{"requests":1,');
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '2']);
  asked.push(ask('/healthz'), ask('/api/stats', '127.0.0.2'), ask('/api/stats', '127.0.0.3'));
  answer();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses).toEqual(Array(8).fill(200));
  expect((await ask('/api/stats')).status).toBe(200);
});

test('a read that the fast path has counted, and for which there is no slot, counts no view', async () => {
  const cache = await createMemoryCache({
    clock: systemClock,
    log: pino({ level: 'silent' }),
    // Never closed, so nothing is written there.
    snapshotFile: join(tmpdir(), crypto.randomUUID(), 'views'),
  });
  const { ask, answer } = openHandler({ cache });
  const asked = Array.from({ length: 5 }, () => ask('/api/stats'));
  const item = freshItem();
  const path = `/${item.namespace}/${item.id}`;
  for (const passwordHash of [null, 'secret']) {
    await cache.putRecord(liveRecord(item, { version: passwordHash === null ? 1 : 2, passwordHash }));
    const visited = await cache.visitTogether(item, null, 1);
    const earlier = fastPathRead({ item, visit: async () => visited });
    expect((await ask(path, '127.0.0.1', earlier)).status).toBe(503);
    expect((await cache.visit(item, false)).views).toBe(0);
  }
  answer();
  await Promise.all(asked);
});

test('an answer that cannot be made gives its slot back all the same', async () => {
  const { ask, answer, underWay } = openHandler({
    observe() {
      throw new Error('the metrics are broken');
    },
  });
  answer();
  for (let n = 0; n < 20; n++) await expect(ask('/api/stats')).rejects.toThrow('the metrics are broken');
  expect(underWay()).toBe(0);
});

test('a request whose Host names none is answered, and nothing of it stays under way', async () => {
  const { handler, underWay } = openHandler();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, own) => handler.answer(request, own),
  });
  for (const host of ['', 'a b', 'a/b', 'a:99999', '[::', '%zz', '1.2.3.4.5.999']) {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const status = await statusOf(server, `${method} /api/stats HTTP/1.1\r\nHost: ${host}`);
      expect([method, host, status]).toEqual([method, host, '400']);
    }
  }
  for (const line of [
    'HEAD /api/stats HTTP/1.0',
    'HEAD //[:: HTTP/1.0',
    'CONNECT a:80 HTTP/1.1\r\nHost: a',
  ]) {
    expect([line, await statusOf(server, line)]).toEqual([line, '400']);
  }
  expect(underWay()).toBe(0);
  await server.stop(true);
});

/** Sends what no HTTP client would. */
async function statusOf(server: Bun.Server<unknown>, head: string): Promise<string | undefined> {
  const socket = connect(server.port ?? 0, '127.0.0.1');
  const chunks: Uint8Array[] = [];
  socket.on('data', (bytes: Uint8Array) => void chunks.push(bytes));
  socket.write(`${head}\r\nUser-Agent: test/1\r\nConnection: close\r\n\r\n`);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString().split(' ')[1];
}

test('what a service refused is said by that service alone; any other failure is logged here, too', async () => {
  const failures = [errors.refused('kv'), errors.unavailable('kv')];
  const { ask, said } = openHandler({
    async handle() {
      throw failures.shift();
    },
  });
  const answers = [await ask('/api/stats'), await ask('/api/stats')];
  expect(answers.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual([
    [503, '2'],
    [503, '2'],
  ]);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('request failed');
});
