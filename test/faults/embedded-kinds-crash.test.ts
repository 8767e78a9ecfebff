import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type Instance, startInstance } from '../instance.ts';
import { auditBlobs } from './blob-audit.ts';
import { embeddedOf, killAll, killPerchAlone } from './embedded-process.ts';
import { startKvTraffic } from './kv-traffic.ts';
import { startSiteTraffic } from './site-traffic.ts';
import { beginUpload, uploadedFiles, uploadFolders } from './upload-folder.ts';
import { untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

let perch: Instance;

beforeAll(async () => {
  perch = await startInstance({ mode: 'embedded', env: { BLOB_GRACE_SECONDS: '6' } });
}, 300_000);
afterAll(() => perch?.stop(), 300_000);

async function startAgain(): Promise<void> {
  await embeddedOf(perch).start();
  await untilReady(perch.url);
}

test('kill -9 under replacements leaves each site whole, old or new', async () => {
  const traffic = await startSiteTraffic(perch.url, true);
  const start = performance.now();
  await traffic.send(perch.url);
  const usualMs = performance.now() - start;
  for (let round = 0; round < 6; round++) {
    const succeeded = Promise.withResolvers<void>();
    const sending = traffic.send(perch.url, succeeded.resolve);
    await Promise.race([sending, round % 2 === 0 ? Bun.sleep(Math.random() * usualMs) : succeeded.promise]);
    await (round % 4 === 3 ? killAll(perch) : killPerchAlone(perch));
    await startAgain();
    await sending;
    expect(await traffic.verify(perch.url)).toEqual([]);
  }
  expect(await traffic.verifyAll(perch.url)).toEqual([]);
  expect(traffic.counts().unsettled).toBeGreaterThan(0);
});

test('kill -9 under KV writes loses no acknowledged one and shows no older value', async () => {
  const traffic = await startKvTraffic({ gateways: [perch.url], mayBreakOff: true });
  for (const kill of [killPerchAlone, killAll]) {
    await traffic.moreChanges(50);
    await kill(perch);
    await startAgain();
  }
  await traffic.moreChanges(50);
  await traffic.stop();
  expect(traffic.faults()).toEqual([]);
  for (let read = 0; read < 3; read++) expect(await traffic.missing()).toEqual([]);
});

test('what a killed process had of an upload is gone when it is back', async () => {
  await beginUpload(perch, perch.url);
  await killPerchAlone(perch);
  expect(await uploadedFiles(perch)).not.toEqual([]);
  await startAgain();
  expect(await uploadedFiles(perch)).toEqual([]);
  expect(await uploadFolders(perch)).toHaveLength(1);
});

test('after the sweeps the folder holds what the items refer to, and nothing else', async () => {
  const { orphans, missing, sound } = await auditBlobs(perch);
  expect({ orphans, missing }).toEqual({ orphans: [], missing: [] });
  expect(sound).toBeGreaterThan(2 * 5);
});
