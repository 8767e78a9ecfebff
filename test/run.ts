import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { orEnd } from '../infra/command-line.ts';
import { ownEnvironment } from '../infra/environment.ts';
import { type Servers, serverCommands, startServers } from '../infra/servers/all.ts';
import { ensureCommands } from '../infra/servers/debian.ts';
import { PREPARED_CLUSTER } from '../infra/servers/postgres.ts';
import { allSuites } from './all-suites.ts';
import { DEPTH_MARK, type Depth, includes } from './depth.ts';
import { failureOf, failureReport } from './failures.ts';
import { endLeftovers, findLeftovers, makeRunFolder } from './leftovers.ts';
import { prepareCluster } from './migrated-database.ts';
import {
  addUp,
  type Outcome,
  runCheck,
  runTests,
  type Suite,
  TURNS,
  type Turn,
  titleOf,
  withoutImpossible,
} from './suites.ts';

/** Suites that are under way say so this often, as what they print comes when they end; in ms. */
const NEWS_EVERY_MS = 60_000;

/** Where `infra/servers/port.ts` looks for ports, unless PERCH_PORTS is set. */
const PORTS = '20000-31999';

interface LaneOptions {
  lanes: number;
  /** Variables of all of them. */
  env: Record<string, string>;
  /** Ends the suites under way and begins no more; the servers stop all the same. */
  signal: AbortSignal;
}

/**
 * Runs suites side by side: each lane takes the next one that is left. Lanes have servers and ports of their own: the
 * services of two suites on one NATS would answer each other's requests. Outcomes come in the order of the suites.
 */
async function runInLanes(suites: Suite[], { lanes, env, signal }: LaneOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const underWay = new Map<string, number>();
  const waiting = [...suites.entries()];
  const count = Math.min(lanes, suites.length);
  // Alone, a suite is seen as it goes.
  const live = count === 1;

  async function runLane(lane: number): Promise<void> {
    let servers: Servers | null = null;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, suite] = next;
        const title = titleOf(suite);
        underWay.set(title, performance.now());
        process.stdout.write(`\n── ${title}${live ? '' : ' begins'}\n`);
        if (suite.needsServers) servers ??= await startServers({ use: ownEnvironment(), fsync: false });
        if (signal.aborted) break;
        const given = suite.needsServers ? servers?.env : {};
        const settings = { ...given, ...env, PERCH_PORTS: portsOf(lane, count) };
        outcomes[index] = await runTests(suite, settings, { live, signal });
        underWay.delete(title);
      }
    } finally {
      await servers?.stop();
    }
  }

  const news = setInterval(() => {
    const names = Array.from(underWay, ([name, since]) => `${name} (${minutesSince(since)} min)`);
    if (!live && names.length > 0) process.stdout.write(`\n── under way: ${names.join(', ')}\n`);
  }, NEWS_EVERY_MS);
  const ended = await Promise.allSettled(Array.from({ length: count }, (_, lane) => runLane(lane)));
  clearInterval(news);
  const reasons = ended.flatMap((lane) => (lane.status === 'rejected' ? [String(lane.reason)] : []));
  for (const reason of reasons) process.stderr.write(`${reason}\n`);
  // A suite whose lane had no servers never ran, which is a failure.
  return suites.map(({ name, paths }, index) => {
    const failures = [failureOf('never began', paths.join(' '), reasons.join('\n'))];
    return outcomes[index] ?? { name, passed: 0, failed: 1, seconds: 0, failures };
  });
}

const minutesSince = (start: number): number => Math.round((performance.now() - start) / 60_000);

function portsOf(lane: number, lanes: number): string {
  const [first = 0, last = 0] = (ownEnvironment().PERCH_PORTS ?? PORTS).split('-').map(Number);
  const each = Math.floor((last - first + 1) / lanes);
  const ofLane = first + lane * each;
  return `${ofLane}-${ofLane + each - 1}`;
}

/**
 * Everything: types, lint, dead code, then every suite against real servers, which it installs (Debian, root), starts
 * and stops. Four suites run at a time: most of their tests wait for a disk or a moment some of the time.
 * `npm test -- --only acceptance` runs the suites whose name begins so; `npm run test:full` also those that `npm test`
 * leaves out, and `npm run test:night` all of them. Ends with what failed, what could not be run here and why, and `N passed, N failed`.
 */
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    full: { type: 'boolean', default: false },
    night: { type: 'boolean', default: false },
  },
});
const depth: Depth = values.night ? 'night' : values.full ? 'full' : 'short';

const started = performance.now();
const outcomes: Outcome[] = [];
const wanted = (name: string): boolean => name.startsWith(values.only);
const asked = allSuites().filter(({ name, from = 'short' }) => wanted(name) && includes(depth, from));
const { suites, notRun } = await withoutImpossible(asked);

/** Suites at a time, by turn. Of faults each has a cluster of its own, and clusters starve one another. */
const LANES: Record<Turn, number> = { others: 4, faults: 3, alone: 1 };

/** Suites would disturb one another on them. */
const usesGivenServers = (['PG_URL', 'REDIS_URL', 'NATS_URL', 'S3_ENDPOINT'] as const).some(
  (name) => ownEnvironment()[name],
);

if (suites.length === 0 && !wanted('check')) {
  process.stderr.write(`${notRun.join('\n') || `no suite's name begins with ${values.only}`}\n`);
  process.exit(1);
}
// First and all at once: what is missing is said before any work, and only once.
if (suites.length > 0)
  await orEnd(
    ensureCommands([...serverCommands(ownEnvironment()), 'chromium', 'chromium-headless-shell', 'caddy']),
  );

const folder = await makeRunFolder();
const stopping = new AbortController();
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(name, () => stopping.abort(name));
const { signal } = stopping;
/** A suite that is ended cannot stop what it has started, some of which outlives it. */
const ended = new Promise<void>((resolve) => {
  signal.addEventListener('abort', () => resolve(endLeftovers(folder)));
});

const checks: Array<[name: string, command: string[]]> = [
  ['types', ['tsc', '--noEmit']],
  ['types of the typed client', ['tsc', '--noEmit', '-p', 'clients/js']],
  ['types of browser scripts', ['tsc', '--noEmit', '-p', 'services/gateway/web/browser']],
  ['lint', ['biome', 'check', '.', '--error-on-warnings']],
  ['dead code', ['knip']],
];
const prepared =
  suites.length > 0 && !usesGivenServers ? orEnd(prepareCluster(join(folder, 'prepared'))) : null;
if (wanted('check'))
  outcomes.push(...(await Promise.all(checks.map(([name, command]) => runCheck(name, command, signal)))));
// This process starts the servers of the lanes; suites inherit the variable for those that they start.
if (prepared !== null) ownEnvironment()[PREPARED_CLUSTER] = await prepared;
const env = { TMPDIR: folder, [DEPTH_MARK]: depth };
for (const turn of TURNS) {
  if (signal.aborted) break;
  const ofTurn = suites.filter((suite) => (suite.turn ?? 'others') === turn);
  const lanes = usesGivenServers ? 1 : LANES[turn];
  outcomes.push(...(await runInLanes(ofTurn, { lanes, env, signal })));
}
if (signal.aborted) {
  await ended;
  await rm(folder, { recursive: true, force: true });
  process.stderr.write(`\nstopped by ${signal.reason}: the suites and their servers are ended\n`);
  process.exit(1);
}
outcomes.push(await findLeftovers(folder));
await rm(folder, { recursive: true, force: true });

const bySuite = addUp(outcomes);
const passed = bySuite.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = bySuite.reduce((sum, outcome) => sum + outcome.failed, 0);
const lines = bySuite.map(({ name, passed, failed, seconds }) =>
  [
    name.padEnd(28),
    `${passed} passed`.padStart(12),
    `${failed} failed`.padStart(10),
    `${seconds.toFixed(1)} s`.padStart(9),
  ].join(' '),
);
const minutes = (performance.now() - started) / 60_000;
lines.push(`all of it took ${minutes.toFixed(1)} min`);
// Earlier output may still be on its way to a slow reader; the run ends once this last piece is written.
process.stdout.write(
  `${failureReport(outcomes)}\n${[...lines, ...notRun].join('\n')}\n\n${passed} passed, ${failed} failed\n`,
  () => process.exit(failed > 0 ? 1 : 0),
);
