import { writeFile } from 'node:fs/promises';
import { orEnd } from '../command-line.ts';
import { runHarness } from './harness.ts';
import { commandOf, readOptions, USAGE } from './options.ts';
import { cyclesWith, keepCycles, reportOf } from './report.ts';

/**
 * Breaks one part after another of a cluster under load. Ends with 1 when something was not as promised. A signal lets the
 * cycle under way end, and audits what there is; a second one ends it at once.
 */
const options = readOptions(process.argv.slice(2));
if (options === null) {
  process.stderr.write(USAGE);
  process.exit(1);
}
const stopping = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stopping.abort());
// A default end would leave the temporary folders behind; the processes end with this one in any case.
const result = await orEnd(
  runHarness({
    ...options,
    signal: stopping.signal,
    onProgress: (line) => void process.stdout.write(`${line}\n`),
  }),
);
const report = reportOf(result, options.seed, (cycle) => commandOf(options, cycle));
process.stdout.write(`\n${report}`);
if (options.report !== null) await writeFile(options.report, report);
for (const folder of result.logs) process.stdout.write(`The logs are in ${folder}\n`);
if (options.keep !== null) await keepCycles(options.keep, options, cyclesWith(result.findings));
process.exit(result.findings.length > 0 ? 1 : 0);
