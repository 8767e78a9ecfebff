import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { orEnd } from '../infra/command-line.ts';
import { ownEnvironment } from '../infra/environment.ts';
import { serverCommands } from '../infra/servers/all.ts';
import { ensureCommands } from '../infra/servers/debian.ts';
import { allSuites } from './all-suites.ts';
import { FULL_MARK } from './depth.ts';
import { failureReport } from './failures.ts';
import { runInLanes } from './lanes.ts';
import { endLeftovers, findLeftovers, makeRunFolder } from './leftovers.ts';
import { addUp, type Outcome, runCheck, withoutImpossible } from './suites.ts';

/**
 * Everything: types, lint, dead code, then every suite against real servers, which it installs (Debian, root), starts
 * and stops. Four suites run at a time: most of their tests wait for a disk or a moment some of the time.
 * `npm test -- --only acceptance` runs the suites whose name begins so; `npm run test:full` also those that `npm test`
 * leaves out. Ends with what failed, what could not be run here and why, and `N passed, N failed`.
 */
const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, full: { type: 'boolean', default: false } },
});

const started = performance.now();
const outcomes: Outcome[] = [];
const wanted = (name: string): boolean => name.startsWith(values.only);
const asked = allSuites().filter(({ name, full = false }) => wanted(name) && (values.full || !full));
const { suites, notRun } = await withoutImpossible(asked);

/** Suites at a time. */
const LANES = 4;
/** Suites at a time of those that run last: each has a cluster of its own, and clusters starve one another. */
const LAST_LANES = 3;

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
  ['lint', ['biome', 'check', '.', '--error-on-warnings']],
  ['dead code', ['knip']],
];
if (wanted('check'))
  outcomes.push(...(await Promise.all(checks.map(([name, command]) => runCheck(name, command, signal)))));
const env = { TMPDIR: folder, ...(values.full ? { [FULL_MARK]: '1' } : {}) };
for (const isLast of [false, true]) {
  const turn = suites.filter(({ last = false }) => last === isLast);
  const lanes = usesGivenServers ? 1 : isLast ? LAST_LANES : LANES;
  outcomes.push(...(await runInLanes(turn, { lanes, env, signal })));
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
