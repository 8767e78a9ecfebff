import { type Panel, renderChart } from './chart.ts';
import type { HostileClient } from './floods.ts';
import { memoryFlatness, type ProcessSample, p99Flatness, type Sample } from './samples.ts';
import type { Outcomes } from './soak-client.ts';

/** The samples as a picture: memory, work, failures and lag over time. */
export function chartOf(
  samples: readonly Sample[],
  perch: readonly string[],
  servers: readonly string[],
): string {
  const of = (names: readonly string[], value: (sample: ProcessSample) => number) =>
    names.map((name) => ({
      name,
      points: samples.map(({ seconds, processes }) => {
        const process = processes[name];
        return [seconds, process === undefined ? 0 : value(process)] as const;
      }),
    }));
  const all = (name: string, value: (sample: Sample) => number) => ({
    name,
    points: samples.map((sample) => [sample.seconds, value(sample)] as const),
  });
  const panels: Panel[] = [
    { title: 'Memory of Perch', unit: 'MB, PSS', series: of(perch, ({ pssMb }) => pssMb) },
    {
      title: 'Memory of the servers',
      unit: 'MB, PSS without shared memory',
      series: of(servers, ({ pssMb }) => pssMb),
    },
    {
      title: 'Requests',
      unit: 'per second',
      series: [all('answered', (sample) => sample.requestsPerSecond)],
    },
    {
      title: 'Requests without the right answer',
      unit: 'per second',
      series: [all('failed', (sample) => sample.failuresPerSecond)],
    },
    { title: 'Slowest of a hundred requests', unit: 'ms', series: [all('p99', (sample) => sample.p99Ms)] },
    { title: 'Event loop lag', unit: 'ms', series: of(perch, ({ lagMs }) => lagMs ?? 0) },
  ];
  return renderChart('Memory, requests and lag over the soak', panels);
}

/** The result as tables and sentences. `names` are those of the processes. */
export function summaryOf(
  samples: readonly Sample[],
  names: readonly string[],
  outcomes: Outcomes,
  hostile: readonly HostileClient[],
): string {
  const rows = names.map((name) => {
    const { early, late, isFlat } = memoryFlatness(name, samples);
    const own = samples.flatMap(({ processes }) => processes[name] ?? []);
    const worstLag = Math.max(...own.map(({ lagMs }) => lagMs ?? 0));
    const highest = Math.max(...own.map(({ rssMb }) => rssMb));
    return `| ${name} | ${early.toFixed(0)} | ${late.toFixed(0)} | ${verdict(isFlat)} | ${highest.toFixed(0)} | ${worstLag.toFixed(0)} | ${own.at(-1)?.refusals ?? 0} |`;
  });
  const failures = [...outcomes.byKind].map(([what, count]) => `${count} × ${what}`);
  const seconds = samples.at(-1)?.seconds ?? 0;
  const p99 = p99Flatness(samples);
  return `| process | PSS early, MB | at the end, MB | | highest RSS, MB | worst lag, ms | refusals |
|---|---|---|---|---|---|---|
${rows.join('\n')}

${outcomes.requests} requests in ${seconds.toFixed(0)} s, ${(outcomes.requests / Math.max(1, seconds)).toFixed(0)} a second; ${outcomes.failures} without the right answer${failures.length === 0 ? '' : `: ${failures.join(', ')}`}.
The slowest of a hundred took ${p99.early.toFixed(0)} ms early, ${p99.late.toFixed(0)} ms at the end: ${verdict(p99.isFlat)}.
${hostileTable(hostile)}`;
}

const verdict = (isFlat: boolean): string => (isFlat ? 'flat' : 'GROWS');

function hostileTable(hostile: readonly HostileClient[]): string {
  if (hostile.length === 0) return '';
  const rows = hostile.map((client) => {
    const statuses = [...client.statuses()].map(([status, count]) => `${count} × ${status}`);
    return `| ${client.name} | ${statuses.join(', ') || 'none'} | ${client.wrong().join(', ') || 'none'} |`;
  });
  return `\n| hostile client | answers | wrong ones |\n|---|---|---|\n${rows.join('\n')}\n`;
}
