import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import { type Instance, startInstance } from '../instance.ts';
import { auditBlobs } from './blob-audit.ts';
import { databaseServerOf, embeddedOf, killAll, killPerchAlone } from './embedded-process.ts';
import { untilReady } from './waiting.ts';
import { prepareWorkload, type Verdict } from './workload.ts';

setDefaultTimeout(120_000);

let perch: Instance;

beforeAll(async () => {
  perch = await startInstance({
    mode: 'embedded',
    env: { BLOB_GRACE_SECONDS: '5', SWEEP_INTERVAL_SECONDS: '1' },
  });
}, 300_000);
afterAll(() => perch?.stop(), 300_000);

async function crashUnderFire(crash: (perch: Instance) => Promise<void>): Promise<Verdict> {
  const workload = await prepareWorkload(perch.url, { creates: 120, updates: 40 });
  let crashing: Promise<void> | null = null;
  await workload.run([perch.url], (count) => {
    if (count === 60) crashing = crash(perch);
  });
  if (crashing === null) throw new Error('too few writes were acknowledged to begin');
  await crashing;
  await embeddedOf(perch).start();
  await untilReady(perch.url);
  return await workload.verify(perch.url);
}

for (const [round, kill] of [killPerchAlone, killAll, killPerchAlone].entries()) {
  test(`kill -9 of the embedded process loses no acknowledged write, round ${round + 1}`, async () => {
    const before = await databaseServerOf(perch);
    const verdict = await crashUnderFire(kill);
    expect(verdict.faults).toEqual([]);
    expect(verdict.sent).toBe(200);
    expect(verdict.acknowledged).toBeGreaterThanOrEqual(60);
    expect(verdict.unanswered).toBeGreaterThan(0);
    expect((await databaseServerOf(perch))?.pid === before?.pid).toBe(kill === killPerchAlone);
  });
}

test('after the sweeps the folder holds what the items refer to, and nothing else', async () => {
  const { orphans, missing, sound } = await auditBlobs(perch);
  expect({ orphans, missing }).toEqual({ orphans: [], missing: [] });
  expect(sound).toBeGreaterThan(200);
});

test('a second process on the same folder refuses to start', async () => {
  const run = Bun.spawn([process.execPath, join(import.meta.dirname, '../../services/embedded/main.ts')], {
    env: { ...perch.env, PORT: '0', PATH: '/usr/bin:/bin' },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  expect(await run.exited).toBe(1);
  expect(await run.stderr.text()).toContain(perch.dir);
  await untilReady(perch.url);
});
