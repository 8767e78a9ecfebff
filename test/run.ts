import { parseArgs } from 'node:util';
import { ownEnvironment } from '../infra/environment.ts';
import { orEnd } from '../infra/or-end.ts';
import { serverCommands, startServers } from '../infra/servers/all.ts';
import { ensureCommands } from '../infra/servers/debian.ts';
import { findLeftovers, RUN_MARK } from './leftovers.ts';
import { type Outcome, runCheck, runTests } from './suites.ts';

/**
 * Everything: types, lint, dead code, then every suite against real servers, which it installs (Debian, root), starts
 * and stops. `npm test -- --only acceptance` runs the suites whose name begins so. Ends with `N passed, N failed`.
 */
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });

const run = crypto.randomUUID();
const outcomes: Outcome[] = [];
const wanted = (name: string): boolean => name.startsWith(values.only);
const suites = [
  { name: 'unit', path: './test/unit', mode: 'embedded' },
  { name: 'contracts', path: './test/contracts', mode: 'embedded' },
  { name: 'acceptance on embedded', path: './test/acceptance', mode: 'embedded' },
  { name: 'acceptance on distributed', path: './test/acceptance', mode: 'distributed' },
  { name: 'interface document', path: './test/openapi', mode: 'embedded' },
  { name: 'browser', path: './test/browser', mode: 'embedded' },
  { name: 'faults', path: './test/faults', mode: 'distributed' },
].filter(({ name }) => wanted(name));

if (suites.length === 0 && !wanted('check')) {
  process.stderr.write(`no suite's name begins with ${values.only}\n`);
  process.exit(1);
}
// First and all at once: what is missing is said before any work, and only once.
if (suites.length > 0) await orEnd(ensureCommands([...serverCommands(ownEnvironment()), 'chromium']));

if (wanted('check')) {
  outcomes.push(await runCheck('types', ['tsc', '--noEmit']));
  outcomes.push(await runCheck('lint', ['biome', 'check', '.', '--error-on-warnings']));
  outcomes.push(await runCheck('dead code', ['knip']));
}
if (suites.length > 0) await runSuites();
outcomes.push(await findLeftovers(run));

const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
const lines = outcomes.map(({ name, passed, failed, seconds }) =>
  [
    name.padEnd(28),
    `${passed} passed`.padStart(12),
    `${failed} failed`.padStart(10),
    `${seconds.toFixed(1)} s`.padStart(9),
  ].join(' '),
);
process.stdout.write(`\n${lines.join('\n')}\n\n${passed} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);

async function runSuites(): Promise<void> {
  const servers = await orEnd(startServers({ use: ownEnvironment() }));
  try {
    for (const { name, path, mode } of suites) {
      outcomes.push(await runTests(name, path, { ...servers.env, PERCH_TEST_MODE: mode, [RUN_MARK]: run }));
    }
  } finally {
    await servers.stop();
  }
}
