import { expect, test } from 'bun:test';
import { createMetrics } from '../../shared/metrics.ts';
import { createReadiness } from '../../shared/readiness.ts';

test('those who ask while a check runs share it', async () => {
  let checks = 0;
  const release = Promise.withResolvers<void>();
  const readiness = createReadiness({
    database: async () => {
      checks += 1;
      await release.promise;
    },
    bus: () => Promise.reject(new Error('away')),
  });
  const asked = [readiness.answer(), readiness.answer(), readiness.answer()];
  release.resolve();
  for (const answer of await Promise.all(asked)) {
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('2');
    expect(await answer.json()).toEqual({
      status: 'unavailable',
      dependencies: { database: 'up', bus: 'down' },
    });
  }
  expect(checks).toBe(1);
  await readiness.answer();
  expect(checks).toBe(2);
});

test('a process that is about to stop is not ready, and asks nobody', async () => {
  let leaving = false;
  let checks = 0;
  const readiness = createReadiness(
    {
      bus: async () => {
        checks += 1;
      },
    },
    { isLeaving: () => leaving },
  );
  expect((await readiness.answer()).status).toBe(200);
  leaving = true;
  const answer = await readiness.answer();
  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('2');
  expect(await answer.json()).toEqual({ status: 'leaving', dependencies: {} });
  expect(checks).toBe(1);
});

test('the metrics say the same by the same checks, and nothing of a process that is about to stop', async () => {
  const metrics = createMetrics('kv');
  const release = Promise.withResolvers<void>();
  let isBusAway = true;
  let leaving = false;
  let checks = 0;
  const readiness = createReadiness(
    {
      database: async () => {
        checks += 1;
        await release.promise;
      },
      bus: () => {
        if (isBusAway) throw new Error('away');
        return Promise.resolve();
      },
    },
    { isLeaving: () => leaving },
  );
  readiness.observe(metrics);
  const scrape = async (): Promise<string[]> => {
    const page = await (await metrics.render()).text();
    return page.split('\n').filter((line) => line.startsWith('dependency_up'));
  };
  const asked = [scrape(), readiness.answer(), scrape()] as const;
  release.resolve();
  const [first, answer, second] = await Promise.all(asked);
  expect(answer.status).toBe(503);
  expect(first).toEqual([
    'dependency_up{dependency="database",service="kv"} 1',
    'dependency_up{dependency="bus",service="kv"} 0',
  ]);
  expect(second).toEqual(first);
  expect(checks).toBe(1);
  isBusAway = false;
  expect(await scrape()).toContain('dependency_up{dependency="bus",service="kv"} 1');
  leaving = true;
  expect(await scrape()).toEqual([]);
  expect(checks).toBe(2);
});

test('a dependency that may be away is told of, and leaves the process ready', async () => {
  let isAway = true;
  const scanner = () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve());
  const readiness = createReadiness({ bus: () => Promise.resolve() }, { mayBeAway: { scanner } });
  for (const state of ['down', 'up']) {
    const answer = await readiness.answer();
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ status: 'ready', dependencies: { bus: 'up', scanner: state } });
    isAway = false;
  }
});
