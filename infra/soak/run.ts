import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPerch } from '../bench/perch.ts';
import { SERVICES } from '../distributed.ts';
import { orEnd } from '../or-end.ts';
import { createRandom } from '../random.ts';
import { serverCommands } from '../servers/all.ts';
import { ensureCommands } from '../servers/debian.ts';
import { runAttack } from './attack-run.ts';
import { flatnessOf } from './flatness.ts';
import { readOptions, type SoakOptions, USAGE } from './options.ts';
import { chartOf, summaryOf } from './report.ts';
import { createSampler, type Sample, type Watched } from './samples.ts';
import { createSoakClient } from './soak-client.ts';
import { createVisitor, publishShared } from './traffic.ts';

/**
 * Mixed traffic of many clients against a Perch of its own, one process of each service, and what that does to their
 * memory. Ends with 1 when the memory of a process of Perch grows, or a request has not the right answer. Or, with another
 * profile, an attack of one client (`attack-run.ts`).
 */
const EVERY_MS = 5_000;

/** Filled before the early minutes are over: a cache that is still filling looks like a leak. */
const CACHE_MAX_BYTES = 32 * 1_048_576;

const options = readOptions(process.argv.slice(2));
if (options === null) {
  process.stderr.write(USAGE);
  process.exit(2);
}
await orEnd(ensureCommands(serverCommands({})));
const cleanUp = new AsyncDisposableStack();
let ending: Promise<void> | null = null;
/** Disposed of a second time, the stack would not wait for the first. */
const end = (): Promise<void> => (ending ??= cleanUp.disposeAsync());
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => void end().finally(() => process.exit(code)));
}
const isGood = await orEnd(soakAndCleanUp(options));
process.exit(isGood ? 0 : 1);

async function soakAndCleanUp(given: SoakOptions): Promise<boolean> {
  try {
    return await soak(given);
  } finally {
    await end();
  }
}

async function soak({ profile, minutes, clients, pauseMs, chart, seed }: SoakOptions): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'perch-soak-'));
  cleanUp.defer(() => rm(dir, { recursive: true, force: true }));
  // The database server runs as a user of its own and must get in.
  await chmod(dir, 0o755);
  const perch = await startPerch(
    {
      dir,
      defer: (stop) => cleanUp.defer(async () => void (await stop())),
      progress: (line) => process.stderr.write(`${line}\n`),
    },
    // Clients are told apart by what they say of themselves.
    { CACHE_MAX_BYTES: String(CACHE_MAX_BYTES), TRUST_PROXY: '1' },
  );
  if (profile !== 'mixed') return await runAttack(perch.url, profile, minutes);
  const client = createSoakClient(perch.url);
  await publishShared(client, createRandom(seed));

  const own: Watched[] = SERVICES.flatMap((service) =>
    perch.services.processes[service].map((one) => ({
      name: service,
      pid: () => one.processes()[0],
      url: one.url,
    })),
  );
  const { postgres, redis, nats, s3 } = perch.servers;
  const servers: Watched[] = Object.entries({ postgres, redis, nats, s3 }).map(([name, server]) => ({
    name,
    pid: () => server?.processes()[0],
  }));
  const take = createSampler([...own, ...servers], client.outcomes);
  const endAt = Date.now() + minutes * 60_000;
  const visitors = Array.from({ length: clients }, async (_, n) => {
    const random = createRandom(seed * 1_000 + n + 1);
    const visit = createVisitor(client, random);
    while (Date.now() < endAt) {
      await Bun.sleep(random.between(0, 2 * pauseMs));
      await visit();
    }
  });
  const samples: Sample[] = [];
  while (Date.now() < endAt) {
    await Bun.sleep(Math.min(EVERY_MS, Math.max(0, endAt - Date.now())));
    const sample = await take();
    samples.push(sample);
    process.stderr.write(`${lineOf(sample)}\n`);
  }
  await Promise.all(visitors);

  const names = { perch: own.map(({ name }) => name), servers: servers.map(({ name }) => name) };
  const flatness = [...names.perch, ...names.servers].map((name) => flatnessOf(name, samples));
  process.stdout.write(summaryOf(samples, flatness, client.outcomes));
  if (chart !== null) await Bun.write(chart, chartOf(samples, names.perch, names.servers));
  const grown = flatness.filter(({ name, isFlat }) => names.perch.includes(name) && !isFlat);
  return grown.length === 0 && client.outcomes.failures === 0;
}

function lineOf({ seconds, requestsPerSecond, failuresPerSecond, processes }: Sample): string {
  const memory = Object.entries(processes).map(([name, { pssMb }]) => `${name} ${pssMb.toFixed(0)}`);
  return `${seconds.toFixed(0)} s: ${requestsPerSecond.toFixed(0)} requests/s, ${failuresPerSecond.toFixed(1)} failed/s, MB: ${memory.join(', ')}`;
}
