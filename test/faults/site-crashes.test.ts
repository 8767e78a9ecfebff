import { expect, setDefaultTimeout, test } from 'bun:test';
import type { Written } from '../../infra/load/audit.ts';
import { type Burst, createBurst } from '../../infra/load/burst.ts';
import { createSites } from '../../infra/load/kinds/sites.ts';
import type { ServiceProcess } from '../../infra/service-process.ts';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';
import { auditBlobs } from './blob-audit.ts';
import { beginUpload, uploadedFiles, uploadFolders } from './upload-folder.ts';
import { untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

const perch = useRunning(() =>
  startInstance({ mode: 'distributed', gateways: 2, env: { BLOB_GRACE_SECONDS: '8' } }),
);

function only(services: ServiceProcess[], index: number): ServiceProcess {
  const service = services[index];
  if (service === undefined) throw new Error(`there is no process ${index}`);
  return service;
}

/** Some megabytes each: long enough on their way for a process to die meanwhile. */
const largeSites = createSites(25, 60_000);

/** Number of concurrent uploads. */
const SITES = 5;

/** Kills a process in each round: at some moment of it, or when it has just had a first success. */
async function underFire(
  victim: ServiceProcess,
  { rounds, gateway, mayBreakOff }: { rounds: number; gateway: number; mayBreakOff: boolean },
): Promise<Burst['writes']> {
  let succeeded = Promise.withResolvers<void>();
  const burst = await createBurst({
    gateways: perch.gateways,
    mayBreakOff,
    onAcknowledged: () => succeeded.resolve(),
  });
  const sites = burst.add(Array.from({ length: SITES }, () => largeSites));
  await burst.prepare(sites);
  /** A new version of some sites, and one more site. */
  const send = async (): Promise<Written[]> => {
    const there = sites.filter(({ target }) => target.register.existed === true);
    const added = burst.add([largeSites]);
    sites.push(...added);
    const some = [...there.slice(1 - SITES), ...added];
    await burst.send(some, () => gateway);
    return some;
  };
  const start = performance.now();
  await send();
  const usualMs = performance.now() - start;
  for (let round = 0; round < rounds; round++) {
    succeeded = Promise.withResolvers<void>();
    const sending = send();
    await Promise.race([sending, round % 2 === 0 ? Bun.sleep(Math.random() * usualMs) : succeeded.promise]);
    await victim.kill();
    await victim.start();
    const sent = await sending;
    await untilReady(perch.gateways[gateway] ?? '');
    expect(await burst.verify(sent, round % 4 < 2 ? 0 : gateway)).toEqual([]);
  }
  for (const index of perch.gateways.keys()) expect(await burst.verify(sites, index)).toEqual([]);
  return burst.writes;
}

test('kill -9 of the site process under replacements leaves each site whole, old or new', async () => {
  const victim = only(perch.services.sites, 0);
  const writes = await underFire(victim, { rounds: 5, gateway: 0, mayBreakOff: false });
  expect(writes.acknowledged).toBeGreaterThan(5);
});

test('kill -9 of a gateway under uploads leaves each site whole, old or new', async () => {
  const victim = only(perch.services.gateways, 1);
  const writes = await underFire(victim, { rounds: 8, gateway: 1, mayBreakOff: true });
  expect(writes.refused + writes.unanswered).toBeGreaterThan(0);
});

test('what a killed gateway had of an upload is gone when it is back', async () => {
  const [survivor, victim] = [only(perch.services.gateways, 0), only(perch.services.gateways, 1)];
  await beginUpload(perch, victim.url);
  await victim.kill();
  expect(await uploadedFiles(perch)).not.toEqual([]);
  await victim.start();
  expect(await uploadedFiles(perch)).toEqual([]);
  const running = [...survivor.processes(), ...victim.processes()];
  const folders = await uploadFolders(perch);
  expect(folders).toHaveLength(2);
  for (const folder of folders) expect(running.map((pid) => `upload-${pid}`)).toContain(folder);
});

test('after the sweeps the store holds what the items refer to, and nothing else', async () => {
  const { orphans, missing, sound } = await auditBlobs(perch);
  expect({ orphans, missing }).toEqual({ orphans: [], missing: [] });
  expect(sound).toBeGreaterThan(2 * 2 * 4);
});
