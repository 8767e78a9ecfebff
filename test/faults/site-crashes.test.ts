import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import type { ServiceProcess } from '../../infra/service-process.ts';
import { type Instance, startInstance } from '../instance.ts';
import { auditBlobs } from './blob-audit.ts';
import { type SiteTraffic, startSiteTraffic } from './site-traffic.ts';
import { beginUpload, uploadedFiles, uploadFolders } from './upload-folder.ts';
import { untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

let perch: Instance;

beforeAll(async () => {
  perch = await startInstance({ mode: 'distributed', gateways: 2, env: { BLOB_GRACE_SECONDS: '8' } });
}, 300_000);
afterAll(() => perch?.stop(), 300_000);

function only(services: ServiceProcess[], index: number): ServiceProcess {
  const service = services[index];
  if (service === undefined) throw new Error(`there is no process ${index}`);
  return service;
}

/** How long an undisturbed round takes, in ms. */
async function measure(traffic: SiteTraffic, address: string): Promise<number> {
  const start = performance.now();
  await traffic.send(address);
  return performance.now() - start;
}

/** Kills a process in each round: at some moment of it, or when it has just had a first success. */
async function underFire(
  victim: ServiceProcess,
  { rounds, address, mayBreakOff }: { rounds: number; address: string; mayBreakOff: boolean },
): Promise<SiteTraffic> {
  const traffic = await startSiteTraffic(perch.url, mayBreakOff);
  const usualMs = await measure(traffic, address);
  for (let round = 0; round < rounds; round++) {
    const succeeded = Promise.withResolvers<void>();
    const sending = traffic.send(address, succeeded.resolve);
    await Promise.race([sending, round % 2 === 0 ? Bun.sleep(Math.random() * usualMs) : succeeded.promise]);
    await victim.kill();
    await victim.start();
    await sending;
    await untilReady(address);
    expect(await traffic.verify(round % 4 < 2 ? perch.url : address)).toEqual([]);
  }
  for (const base of perch.gateways) expect(await traffic.verifyAll(base)).toEqual([]);
  return traffic;
}

test('kill -9 of the site process under replacements leaves each site whole, old or new', async () => {
  const victim = only(perch.services.sites, 0);
  const traffic = await underFire(victim, { rounds: 5, address: perch.url, mayBreakOff: false });
  expect(traffic.counts().acknowledged).toBeGreaterThan(10);
});

test('kill -9 of a gateway under uploads leaves each site whole, old or new', async () => {
  const victim = only(perch.services.gateways, 1);
  const traffic = await underFire(victim, { rounds: 8, address: victim.url, mayBreakOff: true });
  expect(traffic.counts().unsettled).toBeGreaterThan(0);
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
