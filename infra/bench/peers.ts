import { inLanes } from '../../shared/in-lanes.ts';
import { type Contender, failures, p99, perSecond, runRounds, sum, warmUp } from './load-rounds.ts';
import {
  atLeast,
  atMost,
  type Bench,
  count,
  type Findings,
  megabytes,
  milliseconds,
  ratio,
} from './measurement.ts';
import { PAGE_BYTES } from './pages.ts';
import { CRATES, startCrate } from './peers/crates.ts';
import { type Addresses, type Peer, startDistributedPeer, startEmbeddedPeer } from './peers/peer.ts';
import { memoryOfProcesses } from './process-usage.ts';
import { median, percentile } from './statistics.ts';

const CONNECTIONS = 64;
const TEXTS = 400;
const IN_FLIGHT = 16;
const CREATE_ROUNDS = 3;

interface Measured {
  peer: Peer;
  idleBytes: number;
  page: Contender | null;
  raw: Contender;
  /** Creates of one text each, in ms, by round. */
  creates: Array<{ perSecond: number; timesMs: number[]; failed: number }>;
}

/** Perch beside self-hosted services that people would run instead: creating and reading a text of 10 KB. */
export async function peers(bench: Bench): Promise<Findings> {
  const { started, absent } = await startAll(bench);
  const measured: Measured[] = [];
  for (const peer of started) measured.push(await prepare(peer));
  const contenders = measured.flatMap(({ page, raw }) => (page === null ? [raw] : [page, raw]));
  await warmUp(bench, contenders, CONNECTIONS);
  await runRounds(bench, contenders, CONNECTIONS);
  for (let round = 1; round <= CREATE_ROUNDS; round++) {
    for (const { peer, creates } of measured) {
      const outcome = await create(peer, round);
      creates.push(outcome);
      bench.progress(`round ${round}, ${peer.name}: ${count(outcome.perSecond)} creates/s`);
    }
  }
  const isPerch = ({ peer }: Measured): boolean => peer.name.startsWith('Perch');
  const rivals = measured.filter((one) => !isPerch(one));
  return {
    table: [
      ['', 'page/s', 'p99', 'raw/s', 'p99', 'creates/s', 'p99', 'failed', 'idle memory'],
      ...measured.map(rowOf),
    ],
    notes: [
      `A text of ${PAGE_BYTES} bytes. Reads: ${CONNECTIONS} connections kept alive, wrk with one thread, alternating rounds of ${bench.seconds} s. Creates: ${TEXTS} distinct texts a round, ${IN_FLIGHT} in flight, sent by one client. Medians.`,
      'Perch counts views, limits and logs each request to PostgreSQL; idle memory (PSS) is that of all its processes, its database and stores included.',
      ...absent,
    ],
    verdicts: rivals.flatMap((rival) => [
      ...measured.filter(isPerch).map((own) => {
        const what = `raw reads a second, ${own.peer.name} to ${rival.peer.name}`;
        return atLeast(what, rateOf(own.raw) / rateOf(rival.raw), 1, ratio);
      }),
      atMost(`failed reads of ${rival.peer.name}`, sum(rival.raw, failures), 0, count),
    ]),
  };
}

async function startAll(bench: Bench): Promise<{ started: Peer[]; absent: string[] }> {
  const started = [await startEmbeddedPeer(bench), await startDistributedPeer(bench)];
  const absent = ['wastebin is not on crates.io, so it is not built here.'];
  for (const crate of CRATES) {
    const peer = await startCrate(bench, crate);
    if (peer === null) absent.push(`${crate.name} was not measured: there is no cargo to build it.`);
    else started.push(peer);
  }
  return { started, absent };
}

async function prepare(peer: Peer): Promise<Measured> {
  const idle = await memoryOfProcesses(peer.pids);
  const addresses: Addresses = await peer.publish(textOf('read'));
  const contender = (what: string, url: string): Contender => ({
    name: `${peer.name}, ${what}`,
    url,
    loads: [],
  });
  return {
    peer,
    idleBytes: idle.reduce((total, { pssBytes }) => total + pssBytes, 0),
    page: addresses.page === null ? null : contender('page', addresses.page),
    raw: contender('raw', addresses.raw),
    creates: [],
  };
}

async function create(peer: Peer, round: number): Promise<Measured['creates'][number]> {
  const begun = performance.now();
  const texts = Array.from({ length: TEXTS }, (_, n) => textOf(`${round}-${n}`));
  const timesMs: number[] = [];
  // Some peers close connections under load: their other creates count all the same.
  await inLanes(texts, IN_FLIGHT, async (text) => {
    const sent = performance.now();
    await peer.publish(text).then(
      () => timesMs.push(performance.now() - sent),
      (error: unknown) => {
        if (peer.name.startsWith('Perch')) throw error;
      },
    );
  });
  const seconds = (performance.now() - begun) / 1000;
  return { perSecond: timesMs.length / seconds, timesMs, failed: TEXTS - timesMs.length };
}

/** A text that no other name gives. */
function textOf(name: string): string {
  const line = `A line of an ordinary text, number ${name}, as people paste them.\n`;
  return line.repeat(Math.ceil(PAGE_BYTES / line.length)).slice(0, PAGE_BYTES);
}

const rateOf = (contender: Contender): number => median(contender.loads.map(perSecond));

function rowOf({ peer, idleBytes, page, raw, creates }: Measured): string[] {
  const reads = (contender: Contender | null): string[] =>
    contender === null
      ? ['–', '–']
      : [count(rateOf(contender)), milliseconds(median(contender.loads.map(p99)))];
  const times = creates.flatMap(({ timesMs }) => timesMs);
  return [
    ...[peer.name, ...reads(page), ...reads(raw)],
    ...[count(median(creates.map(({ perSecond }) => perSecond))), milliseconds(percentile(times, 0.99))],
    count(creates.reduce((failed, round) => failed + round.failed, 0)),
    megabytes(idleBytes),
  ];
}
