import { expect, test } from 'bun:test';
import { FAULTS, processComponent } from '../../infra/faults/components.ts';
import { readOptions } from '../../infra/faults/options.ts';
import { planCycles } from '../../infra/faults/plan.ts';

test('without arguments: every fault of everything, once', () => {
  expect(readOptions([])).toEqual({
    ...{ cycles: 1, only: [], kinds: [...FAULTS], seed: 1, quick: false, isHa: false, report: null },
  });
});

test('numbers at their edges, and beyond', () => {
  expect([1, 1_000].map((n) => readOptions(['--cycles', `${n}`])?.cycles)).toEqual([1, 1_000]);
  for (const cycles of ['0', '1001', '-1', '1.5', 'many', ''])
    expect(readOptions(['--cycles', cycles])).toBeNull();
  expect([0, 2 ** 32 - 1].map((n) => readOptions(['--seed', `${n}`])?.seed)).toEqual([0, 2 ** 32 - 1]);
  for (const seed of [`${2 ** 32}`, '-1']) expect(readOptions(['--seed', seed])).toBeNull();
});

test('only names that there are', () => {
  expect(readOptions(['--only', 'redis,kv-redis', '--kinds', 'kill,cut'])).toMatchObject({
    only: ['redis', 'kv-redis'],
    kinds: ['kill', 'cut'],
  });
  expect(readOptions(['--ha', '--only', 'nats-leader'])).toMatchObject({ only: ['nats-leader'], isHa: true });
  expect(readOptions(['--ha'])?.only).toContain('sentinel-3');
  expect(readOptions(['--ha', '--only', 'kv'])).toBeNull();
  expect(readOptions(['--only', 'nats-leader'])).toBeNull();
  expect(readOptions(['--only', 'gateway-postgres'])).toBeNull();
  expect(readOptions(['--kinds', 'fire'])).toBeNull();
  expect(readOptions(['--fast'])).toBeNull();
});

test('the same seed gives the same plan, another one another', () => {
  const component = (name: string) => ({
    ...{ name, faults: ['kill', 'pause'] as const, members: 1, strike: async () => async () => undefined },
  });
  const plan = (seed: number, only: string[] = []) =>
    planCycles(['kv', 'redis', 'site'].map(component), {
      ...{ cycles: 5, only, seed, kinds: ['kill', 'pause', 'cut'] },
    }).map(({ component, fault, number, seed }) => `${number} ${component.name} ${fault} ${seed}`);
  expect(plan(1)).toHaveLength(30);
  expect(plan(1)).toEqual(plan(1));
  expect(plan(2)).not.toEqual(plan(1));
  expect(plan(1, ['kv'])).toHaveLength(10);
});

test('who has data can lose them: Redis and PostgreSQL, and nobody else', () => {
  const components = ['gateway', 'nats', 'redis', 'postgres', 's3'].map((name) => processComponent(name, []));
  const kinds = ['back', 'lost-second'] as const;
  const plan = planCycles(components, { cycles: 2, only: [], seed: 1, kinds });
  expect(plan.map(({ component, fault }) => `${component.name} ${fault}`).toSorted()).toEqual([
    ...['postgres back', 'postgres back', 'redis back', 'redis back'],
    ...['redis lost-second', 'redis lost-second'],
  ]);
  expect(readOptions(['--kinds', 'back,lost-second'])?.kinds).toEqual([...kinds]);
});
