import { afterEach, expect, test } from 'bun:test';
import { keepRunning } from '../../infra/cluster/keep-running.ts';
import type { ServiceProcess } from '../../infra/service-process.ts';
import { until } from '../../infra/until.ts';

const TIMES = { lookMs: 1, firstMs: 4, lastMs: 16, steadyMs: 60_000 };

/** A process that is there or not as the test says. */
function fakeProcess(startsWell: boolean) {
  let running = true;
  const counts = { starts: 0, stops: 0 };
  const process: ServiceProcess = {
    name: 'kv-1',
    port: 1,
    url: 'http://127.0.0.1:1',
    logFile: 'kv-1.log',
    async start() {
      counts.starts += 1;
      if (!startsWell) throw new Error('kv-1 ended while it started');
      running = true;
    },
    async stop() {
      counts.stops += 1;
      running = false;
    },
    async kill() {
      running = false;
    },
    pause: () => undefined,
    resume: () => undefined,
    processes: () => [],
    isRunning: () => running,
  };
  return { process, counts };
}

const kept: ServiceProcess[] = [];
afterEach(() => Promise.all(kept.splice(0).map((process) => process.stop())));

function keep(process: ServiceProcess, times = TIMES): { service: ServiceProcess; said: string[] } {
  const said: string[] = [];
  const service = keepRunning(process, { say: (line) => void said.push(line), times });
  kept.push(service);
  return { service, said };
}

test('a process that has ended is started again, and its log is named', async () => {
  const { process, counts } = fakeProcess(true);
  const { service, said } = keep(process);
  await service.kill();
  await until('it runs', async () => said.includes('kv-1 runs again'));
  expect(counts.starts).toBe(1);
  expect(said[0]).toContain('kv-1 has ended after');
  expect(said[0]).toContain('(kv-1.log)');
});

test('one that ends at each start is started ever less often', async () => {
  const { process } = fakeProcess(false);
  const { service, said } = keep(process);
  await service.kill();
  const waits = (): string[] => said.flatMap((line) => /again in (\d+) ms/.exec(line)?.[1] ?? []);
  await until('five starts', async () => waits().length >= 5);
  expect(waits().slice(0, 5)).toEqual(['4', '8', '16', '16', '16']);
  expect(said).toContain('kv-1 ended while it started');
});

test('one that has run long enough begins with the first wait again', async () => {
  const { process } = fakeProcess(true);
  const { service, said } = keep(process, { ...TIMES, steadyMs: 0 });
  const ends = (): string[] => said.filter((line) => line.includes('again in 4 ms'));
  for (let end = 1; end <= 3; end++) {
    await service.kill();
    await until('it runs again', async () => ends().length === end && service.isRunning());
  }
  expect(said.some((line) => line.includes('again in 8 ms'))).toBe(false);
});

test('what is stopped stays so, also when it was to be started again', async () => {
  const { process, counts } = fakeProcess(true);
  const { service, said } = keep(process, { ...TIMES, firstMs: 60_000, lastMs: 60_000 });
  await service.kill();
  await until('its end is seen', async () => said.length > 0);
  await service.stop();
  expect({ running: service.isRunning(), starts: counts.starts }).toEqual({ running: false, starts: 0 });
});
