import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntilGone } from '../servers/process-tree.ts';
import { atMost, type Bench, type Findings, megabytes, seconds, timed } from './measurement.ts';
import { embeddedAt, pidOf, publish } from './perch.ts';
import { memoryOf, type ProcessMemory } from './process-usage.ts';
import { median } from './statistics.ts';

const FIRST_STARTS = 3;
const LATER_STARTS = 5;
const MARKDOWN_PAGES = 50;
const IDLE_MS = 10_000;
const IDLE_AFTER_PAGES_MS = 40_000;

/** How long the embedded mode takes from its start to its first answer, and the memory it holds while idle. */
export async function startAndMemory(bench: Bench): Promise<Findings> {
  const first: number[] = [];
  const afterStop: number[] = [];
  const afterKill: number[] = [];
  let dataDir = '';
  let perch = await embeddedAt(dataDir, '');
  for (let n = 1; n <= FIRST_STARTS; n++) {
    dataDir = join(bench.dir, `data-${n}`);
    await mkdir(dataDir);
    perch = await embeddedAt(dataDir, join(bench.dir, `logs-${n}`));
    bench.defer(perch.stop);
    first.push(await timed(perch.start));
    if (n < FIRST_STARTS) await perch.stop();
  }
  bench.progress(`first starts: ${first.map(seconds).join(', ')}`);
  for (let n = 1; n <= LATER_STARTS; n++) {
    await perch.stop();
    afterStop.push(await timed(perch.start));
    await killAlone(pidOf(perch));
    afterKill.push(await timed(perch.start));
  }
  bench.progress(`later starts: ${[...afterStop, ...afterKill].map(seconds).join(', ')}`);

  await perch.stop();
  await perch.start();
  bench.progress('measuring the memory of the idle processes');
  await Bun.sleep(IDLE_MS);
  const idle = await memoryOf(pidOf(perch), dataDir);
  for (let n = 1; n <= MARKDOWN_PAGES; n++) await publish(perch.url, markdown(n), 'text/markdown');
  await Bun.sleep(IDLE_AFTER_PAGES_MS);
  const afterPages = await memoryOf(pidOf(perch), dataDir);

  const starts = [
    { what: 'first start in an empty folder', times: first },
    { what: 'start after SIGTERM', times: afterStop },
    { what: 'start after kill -9', times: afterKill },
  ];
  return {
    table: [
      ['', 'median', 'worst', 'times'],
      ...starts.map(({ what, times }) => [
        what,
        seconds(median(times)),
        seconds(Math.max(...times)),
        `${times.length}`,
      ]),
      ['', '', '', ''],
      ['memory', 'PSS', 'RSS', ''],
      ...memoryRows(`idle, ${seconds(IDLE_MS)} after start`, idle),
      ...memoryRows(
        `idle, ${seconds(IDLE_AFTER_PAGES_MS)} after ${MARKDOWN_PAGES} markdown pages`,
        afterPages,
      ),
    ],
    notes: [
      'From the spawn of `bun services/embedded/main.ts` until /readyz answers 200, asked every 10 ms; npm itself is not in it.',
      'Memory: the Perch process and its PostgreSQL with all children. PSS shares out pages that several processes map, also with the Bun that runs this; RSS counts them whole in each.',
    ],
    verdicts: [
      atMost('first start in an empty folder, worst', Math.max(...first), 8_000, seconds),
      atMost('start after SIGTERM, worst', Math.max(...afterStop), 2_000, seconds),
      atMost('start after kill -9, worst', Math.max(...afterKill), 2_000, seconds),
      atMost('idle memory after start', total(idle), 350 * 1_048_576, megabytes),
      atMost('idle memory after pages', total(afterPages), 350 * 1_048_576, megabytes),
    ],
  };
}

/** Only Perch itself: its database server is left to the next start, as after a real kill. */
async function killAlone(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  const left = await waitUntilGone([pid], 5_000);
  if (left.length > 0) throw new Error(`process ${pid} outlived SIGKILL`);
}

const total = (processes: ProcessMemory[]): number =>
  processes.reduce((sum, { pssBytes }) => sum + pssBytes, 0);

function memoryRows(title: string, processes: ProcessMemory[]): string[][] {
  const largestFirst = processes.toSorted((a, b) => b.pssBytes - a.pssBytes);
  return [
    [title, megabytes(total(processes)), ''],
    ...largestFirst.map(({ name, pssBytes, rssBytes }) => [
      `  ${name}`,
      megabytes(pssBytes),
      megabytes(rssBytes),
    ]),
  ];
}

function markdown(number: number): Uint8Array {
  const section = `## Section\n\nSome *prose* with a [link](https://example.com/${number}).\n\n- one\n- two\n\n\`\`\`js\nconst answer = ${number};\n\`\`\`\n\n`;
  return Buffer.from(`# Page ${number}\n\n${section.repeat(20)}`);
}
