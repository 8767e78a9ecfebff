import { expect, setDefaultTimeout, test } from 'bun:test';
import type { ServiceProcess } from '../../infra/service-process.ts';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';
import { auditBlobs } from './blob-audit.ts';
import { untilReady } from './waiting.ts';
import { underFire } from './workload.ts';

setDefaultTimeout(300_000);

const perch = useRunning(() =>
  startInstance({
    mode: 'distributed',
    gateways: 2,
    contents: 2,
    env: { BLOB_GRACE_SECONDS: '10', SWEEP_INTERVAL_SECONDS: '1' },
  }),
);

const nth = (services: ServiceProcess[], index: number): ServiceProcess => {
  const service = services[index];
  if (service === undefined) throw new Error(`there is no service process ${index}`);
  return service;
};

test('kill -9 of one of two content processes loses no acknowledged write', async () => {
  const victim = nth(perch.services.contents, 0);
  const verdict = await underFire([perch.url], 20, () => victim.kill());
  expect(verdict.faults).toEqual([]);
  expect(verdict).toMatchObject({ sent: 100, unanswered: 0 });
  await victim.start();
});

test('kill -9 of the only content process loses no acknowledged write', async () => {
  const [spare, victim] = [nth(perch.services.contents, 0), nth(perch.services.contents, 1)];
  await spare.stop();
  const verdict = await underFire([perch.url], 20, async () => {
    await victim.kill();
    await victim.start();
  });
  expect(verdict.faults).toEqual([]);
  expect(verdict).toMatchObject({ sent: 100, unanswered: 0 });
  await spare.start();
});

test('kill -9 of a gateway under uploads leaves the other at work', async () => {
  const victim = nth(perch.services.gateways, 1);
  // Each gateway has half of the writes: at 55 both have acknowledged some.
  const verdict = await underFire(perch.gateways, 55, () => victim.kill());
  expect(verdict.faults).toEqual([]);
  expect(verdict.sent).toBe(100);
  // While a disk or the machine stalls a write may be refused.
  expect(verdict.acknowledged + verdict.unanswered + verdict.refused).toBe(100);
  // After the kill, which came at 55, the other one went on.
  expect(verdict.acknowledged).toBeGreaterThanOrEqual(58);
  await victim.start();
  await untilReady(victim.url);
});

test('after the sweeps the store holds what the items refer to, and nothing else', async () => {
  const { orphans, missing, sound } = await auditBlobs(perch);
  expect({ orphans, missing }).toEqual({ orphans: [], missing: [] });
  // Three times 100 writes are sent, some of which a slow machine refuses.
  expect(sound).toBeGreaterThan(100);
});
