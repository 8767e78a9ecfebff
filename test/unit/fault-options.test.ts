import { expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAULTS, processComponent } from '../../infra/faults/components.ts';
import { commandOf, readOptions } from '../../infra/faults/options.ts';
import { planCycles } from '../../infra/faults/plan.ts';
import { keepCycles, readKeptCycles } from '../../infra/faults/report.ts';

test('without arguments: every fault of everything, once', () => {
  expect(readOptions([])).toEqual({
    cycles: 1,
    cyclesOf: {},
    only: [],
    kinds: [...FAULTS],
    seed: 1,
    repeat: [],
    strikes: 1,
    clusters: 1,
    quick: false,
    isHa: false,
    report: null,
    keep: null,
  });
});

test('numbers at their edges, and beyond', () => {
  expect([1, 1_000].map((n) => readOptions(['--cycles', `${n}`])?.cycles)).toEqual([1, 1_000]);
  for (const cycles of ['0', '1001', '-1', '1.5', 'many', ''])
    expect(readOptions(['--cycles', cycles])).toBeNull();
  expect([0, 2 ** 32 - 1].map((n) => readOptions(['--seed', `${n}`])?.seed)).toEqual([0, 2 ** 32 - 1]);
  for (const seed of [`${2 ** 32}`, '-1', 'old']) expect(readOptions(['--seed', seed])).toBeNull();
  expect(readOptions(['--seed', 'new'])?.seed).toBeWithin(0, 2 ** 32);
  expect([1, 4].map((n) => readOptions(['--clusters', `${n}`])?.clusters)).toEqual([1, 4]);
  for (const clusters of ['0', '5']) expect(readOptions(['--clusters', clusters])).toBeNull();
  expect([1, 20].map((n) => readOptions(['--strikes', `${n}`])?.strikes)).toEqual([1, 20]);
  for (const strikes of ['0', '21', 'x']) expect(readOptions(['--strikes', strikes])).toBeNull();
  expect(readOptions(['--cycles', 'kill=1000,pause=1'])).toMatchObject({
    cycles: 1,
    cyclesOf: { kill: 1_000, pause: 1 },
  });
  for (const cycles of ['kill=0', 'kill=1001', 'fire=1', 'kill=1,2'])
    expect(readOptions(['--cycles', cycles])).toBeNull();
  for (const repeat of ['0', '1000001', 'x']) expect(readOptions(['--repeat', repeat])).toBeNull();
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
    name,
    faults: ['kill', 'pause'] as const,
    members: 1,
    strike: async () => async () => undefined,
  });
  const plan = (seed: number, only: string[] = []) =>
    planCycles(['kv', 'redis', 'site'].map(component), {
      cycles: 5,
      only,
      seed,
      kinds: ['kill', 'pause', 'cut'],
    }).map(({ component, fault, number, seed }) => `${number} ${component.name} ${fault} ${seed}`);
  expect(plan(1)).toHaveLength(30);
  expect(plan(1)).toEqual(plan(1));
  expect(plan(2)).not.toEqual(plan(1));
  expect(plan(1, ['kv'])).toHaveLength(10);
});

test('the command that is printed plans the cycle that it repeats, with its seed', () => {
  const components = ['kv', 'redis'].map((name) => processComponent(name, []));
  const given = [
    '--seed',
    '7',
    '--cycles',
    'kill=5,pause=2',
    '--kinds',
    'kill,pause',
    '--strikes',
    '3',
    '--quick',
  ];
  const options = readOptions(given);
  if (options === null) throw new Error('the options are not taken');
  const whole = planCycles(components, options);
  expect(whole).toHaveLength(14);
  const command = commandOf(options, 9);
  expect(command).toBe(`npm run faults -- ${given.join(' ')} --repeat 9`);
  const repeated = readOptions(command.split(' ').slice(4));
  if (repeated === null) throw new Error(`${command} is not taken`);
  expect(planCycles(components, repeated)).toEqual(whole.slice(8, 9));
});

test('a cycle in which something was found is kept once, and none when nothing was', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'perch-kept-'));
  await using _ = { [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
  const file = join(dir, 'kept.json');
  const options = readOptions(['--seed', '7']);
  if (options === null) throw new Error('the options are not taken');
  await keepCycles(file, options, []);
  expect(await readKeptCycles(file)).toEqual([]);
  await keepCycles(file, options, [3, 9]);
  await keepCycles(file, options, [9]);
  expect((await readKeptCycles(file)).map(({ seed, repeat }) => [seed, repeat])).toEqual([
    [7, [3]],
    [7, [9]],
  ]);
  await writeFile(file, '{}');
  await expect(readKeptCycles(file)).rejects.toThrow('no list of cycles');
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
