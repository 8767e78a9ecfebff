import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_SERVERS, QUICK_SETTINGS } from '../environment.ts';
import { allReads, auditTargets, type Written } from '../load/audit.ts';
import { createTolerantClient, insisting } from '../load/client.ts';
import { startKeyTraffic } from '../load/key-traffic.ts';
import { startTraffic, type Traffic } from '../load/traffic.ts';
import { createRandom } from '../random.ts';
import { ensureCommands } from '../servers/debian.ts';
import { createService } from '../service-process.ts';
import { until } from '../until.ts';
import { type FileSystem, mountCuttableDisk, whyNoPowerCuts } from './disk.ts';

export interface PowerCutOptions {
  cuts: number;
  fileSystem: FileSystem;
  /** Another one gives other moments and other traffic. */
  seed: number;
  /** Ends after the cut under way. */
  signal?: AbortSignal;
  onProgress?: (line: string) => void;
}

export interface PowerCutResult {
  cuts: number;
  writes: Traffic['writes'];
  /** Starts after a cut, in ms. */
  startMs: number[];
  /** Broken promises, each with the number of cuts before it was found. */
  faults: string[];
}

/** Room for the database, its log and the blobs of a long run. */
const DISK_BYTES = 2_147_483_648;
/** Acknowledged changes before each cut, so that each one has something to lose; then a moment by chance, in ms. */
const CHANGES = 4;
const MOMENT_MS = [0, 1_200] as const;
/** Pause of a writer without an answer, in ms. */
const PATIENCE_MS = 300;
/** All that was ever written is read after so many cuts; after the others what was written since the last cut. */
const ALL_EVERY = 20;
/** Targets that writers may still be at: one each, and a few that they have just left. */
const RECENT = 30;
/** How long it may take until so many changes are acknowledged again, on a busy machine, too. */
const CHANGED_WITHIN_MS = 120_000;

/**
 * Cuts the power of an embedded Perch under writes of every kind, at moments of chance: its processes die, and its disk
 * keeps what was synced and nothing else. After each cut it starts again on what is left, and every write that was
 * acknowledged has to be there.
 */
export async function cutPower(options: PowerCutOptions): Promise<PowerCutResult> {
  const { cuts, fileSystem, seed, signal, onProgress = () => undefined } = options;
  const reason = whyNoPowerCuts();
  if (reason !== null) throw new Error(`no power cuts here: ${reason}`);
  await ensureCommands(['mkfs.ext4', 'mkfs.xfs', 'xfs_io', 'setpriv']);
  await using cleanUp = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'perch-power-cuts-'));
  // The database server runs as a user of its own and must get in.
  await chmod(folder, 0o755);
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  const disk = await mountCuttableDisk(folder, { fileSystem, bytes: DISK_BYTES });
  cleanUp.defer(disk.unmount);
  const perch = await createService('embedded', {
    dir: folder,
    readyPath: '/readyz',
    env: { ...NO_SERVERS, ...QUICK_SETTINGS, DATA_DIR: join(disk.path, 'data') },
  });
  cleanUp.defer(perch.kill);
  await perch.start();

  const random = createRandom(seed);
  const { client, note, faults } = await createTolerantClient([perch.url], { mayBreakOff: true });
  const patient = {
    ...client,
    async send(...[call, gateway]: Parameters<typeof client.send>) {
      const seen = await client.send(call, gateway);
      if (!seen.answered) await Bun.sleep(PATIENCE_MS);
      return seen;
    },
  };
  const traffic = await startTraffic({
    client: patient,
    name: 'power',
    seed,
    note,
    steps: Number.POSITIVE_INFINITY,
    readsBack: true,
    isCalm: () => true,
  });
  const keys = await startKeyTraffic({ gateways: [perch.url], keys: 3, mayBreakOff: true });
  const audit = (written: Written[]) =>
    auditTargets(written, {
      client: insisting(client),
      note,
      patienceMs: 0,
      reads: allReads(client),
    });

  const startMs: number[] = [];
  const numbered: string[] = [];
  let known = 0;
  let done = 0;
  const noteFaults = (): void => {
    const found = [...faults, ...keys.faults];
    for (const fault of found.slice(numbered.length)) {
      numbered.push(`after ${done} cuts, ${fault}`);
      onProgress(numbered.at(-1) ?? '');
    }
  };
  for (let cut = 1; cut <= cuts && signal?.aborted !== true; cut++) {
    await Promise.all([changesOf(traffic, CHANGES), keys.moreChanges(CHANGES)]);
    await Bun.sleep(random.between(...MOMENT_MS));
    await disk.cut();
    await perch.kill();
    await disk.remount();
    const startedAt = performance.now();
    await perch.start();
    startMs.push(performance.now() - startedAt);
    done = cut;
    const release = await traffic.hold();
    const isWhole = cut % ALL_EVERY === 0;
    await audit(traffic.written.slice(isWhole ? 0 : known));
    known = Math.max(0, traffic.written.length - RECENT);
    release();
    noteFaults();
    onProgress(
      `cut ${cut} of ${cuts}: ${traffic.writes.acknowledged} writes acknowledged, start in ${startMs.at(-1)?.toFixed(0)} ms`,
    );
  }
  await Promise.all([traffic.stop(), keys.stop()]);
  await audit(traffic.written);
  noteFaults();
  const missing = await keys.missing();
  await perch.stop();
  return {
    cuts: done,
    writes: traffic.writes,
    startMs,
    faults: [...numbered, ...missing.map((fault) => `in the end, ${fault}`)],
  };
}

async function changesOf({ writes }: Traffic, count: number): Promise<void> {
  const goal = writes.acknowledged + count;
  await until(`${count} more changes`, async () => writes.acknowledged >= goal, CHANGED_WITHIN_MS);
}
