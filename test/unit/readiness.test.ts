import { expect, test } from 'bun:test';
import { createReadiness } from '../../shared/readiness.ts';

test('those who ask while a check runs share it', async () => {
  let checks = 0;
  const release = Promise.withResolvers<void>();
  const ready = createReadiness({
    database: async () => {
      checks += 1;
      await release.promise;
    },
    bus: () => Promise.reject(new Error('away')),
  });
  const asked = [ready(), ready(), ready()];
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
  await ready();
  expect(checks).toBe(2);
});

test('a process that is about to stop is not ready, and asks nobody', async () => {
  let leaving = false;
  let checks = 0;
  const ready = createReadiness(
    {
      bus: async () => {
        checks += 1;
      },
    },
    () => leaving,
  );
  expect((await ready()).status).toBe(200);
  leaving = true;
  const answer = await ready();
  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('2');
  expect(await answer.json()).toEqual({ status: 'leaving', dependencies: {} });
  expect(checks).toBe(1);
});
