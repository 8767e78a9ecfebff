import { expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { allReads, auditTargets } from '../../infra/load/audit.ts';
import { createTolerantClient, insisting } from '../../infra/load/client.ts';
import { startKeyTraffic } from '../../infra/load/key-traffic.ts';
import { startTraffic, type Traffic } from '../../infra/load/traffic.ts';
import { atDepth } from '../depth.ts';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';
import { auditBlobs } from './blob-audit.ts';
import { databaseServerOf, embeddedOf, killAll, killPerchAlone } from './embedded-process.ts';
import { beginUpload, uploadedFiles, uploadFolders } from './upload-folder.ts';
import { until, untilReady } from './waiting.ts';

setDefaultTimeout(900_000);

const KILLS = atDepth(9, 3, 50);
/** Every so many kills its database server dies, too. */
const ALL_EVERY = atDepth(3, KILLS, 5);
/** Changes of items, and of keys, between two kills. */
const CHANGES = 4;
/** Pause of a writer without an answer, in ms. */
const PATIENCE_MS = 300;
/** Items that are certainly there in the end. */
const LEFT = 4;

const perch = useRunning(() => startInstance({ mode: 'embedded', env: { BLOB_GRACE_SECONDS: '10' } }));

/** Starts another process on the same folder, which ends at once, and returns its output. */
async function secondProcess(): Promise<{ exitCode: number; said: string }> {
  const run = Bun.spawn([process.execPath, join(import.meta.dirname, '../../services/embedded/main.ts')], {
    env: { ...perch.env, PORT: '0', PATH: '/usr/bin:/bin' },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const [exitCode, said] = await Promise.all([run.exited, run.stderr.text()]);
  return { exitCode, said };
}

/** Files as a power cut leaves them: begun, under the names of files that are not whole yet. */
async function leaveTornFiles(): Promise<string[]> {
  const files = [
    join(perch.dir, 'content/incoming/half-a-blob'),
    join(perch.dir, 'cookie-secret.new'),
    join(perch.dir, 'views.json.new'),
    // A process of this number is none of ours and never runs.
    join(perch.dir, 'uploads/upload-4194305/half-an-upload'),
  ];
  await mkdir(join(perch.dir, 'uploads/upload-4194305'), { recursive: true });
  for (const file of files) await Bun.write(file, '[["half');
  return files;
}

async function moreChanges({ writes }: Traffic, count: number): Promise<void> {
  const goal = writes.acknowledged + count;
  await until(`${count} more changes`, async () => writes.acknowledged >= goal);
}

async function oneMoreOfEachKind({ acknowledged }: Traffic): Promise<void> {
  const before = new Map(acknowledged);
  const isReached = async () => [...acknowledged].every(([kind, count]) => count > (before.get(kind) ?? 0));
  await until('one more change of each kind', isReached);
}

test(`${KILLS} times kill -9 under writes of every kind: no acknowledged one is lost, nothing is half there`, async () => {
  const secret = await readFile(join(perch.dir, 'cookie-secret'), 'utf8');
  const { client, note, faults } = await createTolerantClient([perch.url], { mayBreakOff: true });
  const traffic = await startTraffic({
    client: {
      ...client,
      async send(call, gateway) {
        const seen = await client.send(call, gateway);
        if (!seen.answered) await Bun.sleep(PATIENCE_MS);
        return seen;
      },
    },
    name: 'kills',
    seed: 1,
    note,
    steps: Number.POSITIVE_INFINITY,
    readsBack: true,
    isCalm: () => true,
  });
  const keys = await startKeyTraffic({ gateways: [perch.url], keys: 2, mayBreakOff: true });
  for (let kill = 1; kill <= KILLS; kill++) {
    await Promise.all([moreChanges(traffic, CHANGES), keys.moreChanges(CHANGES)]);
    // Slow kinds, too: markdown wants its render process first.
    if (kill % 5 === 0) await oneMoreOfEachKind(traffic);
    if (kill % 25 === 1) {
      const { exitCode, said } = await secondProcess();
      expect({ exitCode, said }).toEqual({ exitCode: 1, said: expect.stringContaining(perch.dir) });
    }
    const server = await databaseServerOf(perch);
    const dies = kill % ALL_EVERY === 0;
    await (dies ? killAll : killPerchAlone)(perch);
    const torn = kill % 10 === 1 ? await leaveTornFiles() : [];
    await embeddedOf(perch).start();
    expect(torn.filter(existsSync)).toEqual([]);
    expect((await databaseServerOf(perch))?.pid === server?.pid).toBe(!dies);
  }
  await Promise.all([traffic.stop(), keys.stop()]);
  await auditTargets(traffic.written, {
    client: insisting(client),
    note,
    patienceMs: 0,
    reads: allReads(client),
  });
  expect(faults).toEqual([]);
  expect(keys.faults).toEqual([]);
  expect(await keys.missing()).toEqual([]);
  expect(traffic.writes.refused + traffic.writes.unanswered).toBeGreaterThan(KILLS);
  expect(await readFile(join(perch.dir, 'cookie-secret'), 'utf8')).toBe(secret);
});

test('what a killed process had of an upload is gone when it is back', async () => {
  await beginUpload(perch, perch.url);
  await killPerchAlone(perch);
  expect(await uploadedFiles(perch)).not.toEqual([]);
  await embeddedOf(perch).start();
  await untilReady(perch.url);
  expect(await uploadedFiles(perch)).toEqual([]);
  expect(await uploadFolders(perch)).toHaveLength(1);
});

test('after the sweeps the folder holds what the items refer to, and nothing else', async () => {
  // Any of those above may have been removed last.
  for (let n = 1; n <= LEFT; n++) {
    const headers = { 'Content-Type': 'text/html', 'User-Agent': 'PerchTests/1' };
    const body = `<h1>${n}</h1>`;
    expect((await fetch(`${perch.url}/api/html`, { method: 'POST', headers, body })).status).toBe(201);
  }
  const { orphans, missing, sound } = await auditBlobs(perch);
  expect({ orphans, missing }).toEqual({ orphans: [], missing: [] });
  expect(sound).toBeGreaterThanOrEqual(LEFT);
});
