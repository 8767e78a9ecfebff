import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { orEnd, wholeNumber } from '../command-line.ts';
import { serverCommands } from '../servers/all.ts';
import { ensureCommands } from '../servers/debian.ts';
import { accessLog } from './access-log.ts';
import { cpuPerRequest } from './cpu-per-request.ts';
import { docsOpen } from './docs-open.ts';
import { durableCreate } from './durable-create.ts';
import { gallery } from './gallery.ts';
import { gateways } from './gateways.ts';
import { growth } from './growth.ts';
import { kvWrite } from './kv-write.ts';
import { liveValues } from './live-values.ts';
import { manyPages } from './many-pages.ts';
import { type Bench, type Findings, type Measurement, megabytes, renderFindings } from './measurement.ts';
import { peers } from './peers.ts';
import { fileRead, hotPage, kvRead } from './reads.ts';
import { siteMemory } from './site-memory.ts';
import { sitePublish } from './site-publish.ts';
import { startAndMemory } from './start-and-memory.ts';

/** Perch against a reference, side by side on this machine. docs/benchmarks.md says what is measured and why. */
const MEASUREMENTS: Record<string, Measurement> = {
  'hot-page': hotPage,
  'many-pages': manyPages,
  'durable-create': durableCreate,
  'kv-read': kvRead,
  'kv-write': kvWrite,
  'live-values': liveValues,
  'file-read': fileRead,
  'site-publish': sitePublish,
  'site-memory': siteMemory,
  'start-and-memory': startAndMemory,
  'docs-open': docsOpen,
  'access-log': accessLog,
  gallery,
  gateways,
  growth,
  cpu: cpuPerRequest,
  peers,
};

/** Measurements that take long, or need more than the others. */
const ONLY_NAMED = new Set(['growth', 'peers']);

const USAGE = `npm run bench -- [--only ${Object.keys(MEASUREMENTS).join('|')}] [--seconds 1..60]
                     [--items N,N,…] [--log-rows N] [--strict]
  --only      one measurement alone; may be given several times. peers and growth run only so: peers builds them with
              cargo, once, and growth takes half an hour
  --seconds   length of a timed round (5)
  --items     numbers of items that growth compares (1000,100000,1000000)
  --log-rows  entries of the access log in access-log and growth (10000000)
  --strict    end with 1 when a target is missed
`;

const options = readOptions();
let cleanUp = new AsyncDisposableStack();
let stopping: Promise<void> | null = null;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    stopping ??= cleanUp.disposeAsync();
    void stopping.finally(() => process.exit(code));
  });
}

await orEnd(ensureCommands([...serverCommands({}), 'wrk', 'nginx', 'webdis', 'unzip']));
process.stdout.write(
  `# Perch benchmarks\n${cpus().length} cores, ${megabytes(totalmem())} memory, Bun ${Bun.version}, load before: ${loadavg()[0]?.toFixed(2)}\n\n`,
);
const missed: string[] = [];
for (const name of options.names) {
  const findings = await measure(name).catch(async (error: unknown) => {
    // A measurement that a signal took the servers from fails: what the signal began comes first.
    await stopping;
    throw error;
  });
  process.stdout.write(renderFindings(name, findings));
  missed.push(...findings.verdicts.filter((verdict) => !verdict.met).map(({ what }) => `${name}: ${what}`));
}
process.stdout.write(missed.length === 0 ? 'Every target is met.\n' : `MISSED: ${missed.join('; ')}\n`);
process.exit(options.strict && missed.length > 0 ? 1 : 0);

async function measure(name: string): Promise<Findings> {
  const measurement = MEASUREMENTS[name];
  if (measurement === undefined) throw new Error(`no measurement is called ${name}`);
  await using stack = new AsyncDisposableStack();
  cleanUp = stack;
  const dir = await mkdtemp(join(tmpdir(), 'perch-bench-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  // The database server runs as a user of its own and must get in.
  await chmod(dir, 0o755);
  return await measurement({
    dir,
    seconds: options.seconds,
    sizes: options.sizes,
    defer: (stop) => stack.defer(async () => void (await stop())),
    progress: (line) => process.stderr.write(`${name}: ${line}\n`),
  });
}

interface Options extends Pick<Bench, 'seconds' | 'sizes'> {
  names: string[];
  strict: boolean;
}

function readOptions(): Options {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        seconds: { type: 'string', default: '5' },
        items: { type: 'string', default: '1000,100000,1000000' },
        'log-rows': { type: 'string', default: '10000000' },
        strict: { type: 'boolean', default: false },
      },
    });
    const names = values.only ?? Object.keys(MEASUREMENTS).filter((name) => !ONLY_NAMED.has(name));
    const seconds = wholeNumber(values.seconds, [1, 60]);
    const items = values.items.split(',').map((number) => wholeNumber(number, [1_000, 10_000_000]));
    const logRows = wholeNumber(values['log-rows'], [10_000, 100_000_000]);
    if (names.every((name) => name in MEASUREMENTS)) {
      const sizes = { items: items.toSorted((a, b) => a - b), logRows };
      return { names, seconds, sizes, strict: values.strict };
    }
  } catch {
    // Not an option of ours: the usage says which ones are.
  }
  process.stderr.write(USAGE);
  process.exit(2);
}
