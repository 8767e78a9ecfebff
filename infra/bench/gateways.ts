import { cpus } from 'node:os';
import { freePort } from '../servers/port.ts';
import { assertServes, settledViews, viewsExact } from './load-rounds.ts';
import { atLeast, atMost, type Bench, count, type Findings, milliseconds, ratio } from './measurement.ts';
import { PAGE_BYTES, pageBytes } from './pages.ts';
import { type Perch, publish, startPerch } from './perch.ts';
import { processorTime } from './process-usage.ts';
import { median, medianRatio } from './statistics.ts';
import { type Load, runWrk } from './wrk.ts';

const CONNECTIONS = 64;
const ROUNDS = 3;
const WARM_UP_SECONDS = 2;

/** A round, and how many cores it used: those of the gateways, and of all else. */
interface Round extends Load {
  gatewayCores: number;
  otherCores: number;
}

/** GETs of one page at the port that all gateways share, with one gateway and with two. */
export async function gateways(bench: Bench): Promise<Findings> {
  const sharedPort = await freePort();
  const perch = await startPerch(bench, {}, sharedPort);
  const bytes = pageBytes(0);
  const { namespace, id } = await publish(perch.url, bytes);
  const page = `http://127.0.0.1:${sharedPort}/${namespace}/${id}`;
  await assertServes(page, bytes);
  const before = await settledViews(page);
  const one: Round[] = [];
  const two: Round[] = [];
  let warmedUp = 0;
  const measure = async (rounds: Round[]): Promise<void> => {
    // Connections are spread when they are made: wrk makes its own in each round.
    warmedUp += (await runWrk(page, { connections: CONNECTIONS, seconds: WARM_UP_SECONDS })).requests;
    const round = await measured(perch, () =>
      runWrk(page, { connections: CONNECTIONS, seconds: bench.seconds }),
    );
    rounds.push(round);
    bench.progress(
      `round ${one.length}, ${rounds === one ? 'one gateway' : 'two'}: ${count(round.perSecond)} requests/s`,
    );
  };
  for (let round = 1; round <= ROUNDS; round++) {
    await measure(one);
    await perch.services.add('gateway');
    await measure(two);
    await perch.services.remove('gateway');
  }
  const counted = (await settledViews(page)) - before - 1;
  const all = [...one, ...two];
  const answered = all.reduce((total, { requests }) => total + requests, warmedUp);
  const failed = all.reduce((total, { badStatus, socketErrors }) => total + badStatus + socketErrors, 0);
  const gain = medianRatio(two.map(rate), one.map(rate));
  const spare = cpus().length - median(one.map((round) => round.gatewayCores + round.otherCores));
  return {
    table: [
      ['gateways', 'requests/s', 'ratio', 'p99', 'cores of gateways', 'cores of all else'],
      rowOf('one', one, 1),
      rowOf('two', two, gain),
    ],
    notes: [
      `${CONNECTIONS} connections kept alive, wrk with one thread, ${PAGE_BYTES} bytes a page, medians of ${ROUNDS} rounds of ${bench.seconds} s in turns. Gateways share a port (SO_REUSEPORT); counter and limit are in Redis.`,
      `All else: wrk, Redis, the access log, and the other services. With one gateway ${ratio(Math.max(0, spare))} of ${cpus().length} cores were left for a second.`,
    ],
    verdicts: [
      viewsExact(counted, answered, 2 * (all.length + 1) * CONNECTIONS),
      atMost('answers other than 2xx, and socket errors', failed, 0, count),
      // A second gateway brings what the machine has left, or nothing.
      ...(spare >= 1 ? [atLeast('requests per second, two gateways to one', gain, 1.5, ratio)] : []),
    ],
  };
}

const rate = ({ perSecond }: Load): number => perSecond;

function rowOf(name: string, rounds: Round[], gain: number): string[] {
  const middle = (figure: (round: Round) => number): number => median(rounds.map(figure));
  return [
    ...[name, count(middle(rate)), ratio(gain), milliseconds(middle(({ p99Ms }) => p99Ms))],
    ...[ratio(middle(({ gatewayCores }) => gatewayCores)), ratio(middle(({ otherCores }) => otherCores))],
  ];
}

async function measured({ services, servers }: Perch, load: () => Promise<Load>): Promise<Round> {
  const { gateway, ...others } = services.processes;
  const rest = [...Object.values(others).flat(), servers.postgres, servers.redis, servers.nats, servers.s3];
  const timeOf = (processes: ReadonlyArray<{ processes(): number[] } | null>): number =>
    processorTime(processes.flatMap((process) => process?.processes() ?? []));
  const [gatewaysBefore, restBefore, began] = [timeOf(gateway), timeOf(rest), performance.now()];
  const done = await load();
  const elapsedMs = performance.now() - began;
  return {
    ...done,
    gatewayCores: (timeOf(gateway) - gatewaysBefore) / elapsedMs,
    otherCores: (timeOf(rest) - restBefore + done.cpuMs) / elapsedMs,
  };
}
