import { expect, test } from 'bun:test';
import pino from 'pino';
import type { GatewayApp } from '../../../services/gateway/app.ts';
import type { GatewayDependencies } from '../../../services/gateway/dependencies.ts';
import { createFrontDoor } from '../../../services/gateway/front-door.ts';
import { errors } from '../../../shared/errors.ts';
import { createRefusals } from '../../../shared/refusals.ts';

/** A front door behind which nothing answers before `answer` is called. */
function openDoor(handle?: GatewayApp['handle']) {
  const said: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void said.push(line) });
  const { promise, resolve } = Promise.withResolvers<void>();
  let underWay = 0;
  const deps = {
    accessEvents: { record: () => undefined },
    config: { contentBaseUrl: null, trustProxy: 0 },
    log,
    refusals: createRefusals(log),
    metrics: {
      observe: () => undefined,
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
    allowedAt: () => ['GET'],
    routes: [],
    handle:
      handle ??
      (async () => {
        await promise;
        return new Response('answered');
      }),
  } satisfies GatewayApp;
  const responders = {} as Parameters<typeof createFrontDoor>[1];
  const door = createFrontDoor(deps, responders, app);
  const server = { requestIP: () => ({ address: '127.0.0.1' }) } as unknown as Parameters<
    typeof door.answer
  >[1];
  return {
    said,
    answer: resolve,
    ask: (path: string) =>
      door.answer(new Request(`http://localhost${path}`, { headers: { 'User-Agent': 'test/1' } }), server),
  };
}

test('of 5,001 requests at once the last is refused and one line says so, but neither health nor metrics', async () => {
  const { ask, answer, said } = openDoor();
  const asked = Array.from({ length: 5_000 }, () => ask('/api/stats'));
  const refused = await ask('/api/stats');
  await ask('/api/stats');
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('"refusals":{"requests":1,');
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([503, '2']);
  const health = ask('/healthz');
  answer();
  expect((await health).status).toBe(200);
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  expect(statuses.every((status) => status === 200)).toBe(true);
  expect((await ask('/api/stats')).status).toBe(200);
});

test('what a service refused is said by that service alone; any other failure is logged here, too', async () => {
  const failures = [errors.refused('kv'), errors.unavailable('kv')];
  const { ask, said } = openDoor(async () => {
    throw failures.shift();
  });
  const answers = [await ask('/api/stats'), await ask('/api/stats')];
  expect(answers.map(({ status, headers }) => [status, headers.get('Retry-After')])).toEqual([
    [503, '2'],
    [503, '2'],
  ]);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('request failed');
});
