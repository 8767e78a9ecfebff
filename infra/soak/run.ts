import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPerch } from '../bench/perch.ts';
import { orEnd } from '../command-line.ts';
import { SERVICES } from '../distributed.ts';
import { createRandom } from '../random.ts';
import { serverCommands } from '../servers/all.ts';
import { ensureCommands } from '../servers/debian.ts';
import { publishForBystanders } from './bystanders.ts';
import type { HostileClient } from './floods.ts';
import { runAttack, startHostile } from './hostile.ts';
import { readOptions, type SoakOptions, USAGE } from './options.ts';
import { chartOf, summaryOf } from './report.ts';
import { createSampler, memoryFlatness, p99Flatness, type Sample, type Watched } from './samples.ts';
import { createSoakClient } from './soak-client.ts';
import { createVisitor, publishShared } from './traffic.ts';

/**
 * Mixed traffic of many clients against a Perch of its own, one process of each service, and its effect on memory and
 * latency, while some of the clients misbehave. Ends with 1 when the memory of a process of Perch or the slowest of a
 * hundred requests grows, or a request has not the right answer. Or, with another profile, an attack of one client
 * (`hostile.ts`).
 */
const EVERY_MS = 5_000;

/** Filled before the early minutes are over: a cache that is still filling looks like a leak. */
const CACHE_MAX_BYTES = 32 * 1_048_576;

/** Limits of each address that a hostile client meets, and the others with their pauses do not. */
const LIMITS = {
  LIMIT_UPLOADS_PER_HOUR: '1500',
  LIMIT_READS_PER_MINUTE: '600',
  LIMIT_CHANGES_PER_HOUR: '5000',
};

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

async function soak(options: SoakOptions): Promise<boolean> {
  const { profile, minutes, clients, hostile: hostileCount, pauseMs, chart, seed } = options;
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
    {
      CACHE_MAX_BYTES: String(CACHE_MAX_BYTES),
      TRUST_PROXY: '1',
      ...(hostileCount > 0 && profile === 'mixed' ? LIMITS : {}),
    },
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
  const published = hostileCount === 0 ? null : await publishForBystanders(perch.url);
  const hostile: HostileClient[] = published === null ? [] : startHostile(perch.url, hostileCount, published);
  const endAt = Date.now() + minutes * 60_000;
  const visitors = Array.from({ length: clients - hostileCount }, async (_, n) => {
    const random = createRandom(seed * 1_000 + n + 1);
    const own = { 'X-Forwarded-For': `10.2.0.${n + 1}` };
    const visit = createVisitor(createSoakClient(perch.url, own, client.outcomes), random);
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
  await Promise.all(hostile.map((one) => one.stop()));

  const names = { perch: own.map(({ name }) => name), servers: servers.map(({ name }) => name) };
  process.stdout.write(summaryOf(samples, [...names.perch, ...names.servers], client.outcomes, hostile));
  if (chart !== null) await Bun.write(chart, chartOf(samples, names.perch, names.servers));
  const isLevel =
    names.perch.every((name) => memoryFlatness(name, samples).isFlat) && p99Flatness(samples).isFlat;
  const isRight = client.outcomes.failures === 0 && hostile.every((one) => one.wrong().length === 0);
  return isLevel && isRight;
}

function lineOf({ seconds, requestsPerSecond, failuresPerSecond, p99Ms, processes }: Sample): string {
  const memory = Object.entries(processes).map(([name, { pssMb }]) => `${name} ${pssMb.toFixed(0)}`);
  return `${seconds.toFixed(0)} s: ${requestsPerSecond.toFixed(0)} requests/s, ${failuresPerSecond.toFixed(1)} failed/s, p99 ${p99Ms.toFixed(0)} ms, MB: ${memory.join(', ')}`;
}
