import type { Sql } from 'postgres';
import { startBareReads } from './bare-chain/start.ts';
import { KEYS, makeStore, openPlainClient, upserts } from './kv-write.ts';
import { assertServes } from './load-rounds.ts';
import { atMost, type Bench, type Findings, ratio } from './measurement.ts';
import { startNginxOfFiles } from './nginx.ts';
import { pageBytes } from './pages.ts';
import { type Perch, publish, startPerch } from './perch.ts';
import { processorTime } from './process-usage.ts';
import { median } from './statistics.ts';
import { type Load, runWrk, runWrkPuts } from './wrk.ts';

const CONNECTIONS = 64;
/** Writes under way at once. */
const IN_FLIGHT = 32;
const ROUNDS = 3;
/** Requests of a round at the least: what is done now and then should not count by the chance of falling into one. */
const REQUESTS = { page: 30_000, key: 10_000 };
const IDLE_MS = 5_000;
const LOG_LIMIT_MS = 180_000;

/** µs of processor time a request, by process. */
type Costs = Record<string, number>;

/** A load that is over, and the processor time of wrk in it. */
interface Done {
  requests: number;
  cpuMs: number;
}

/** The ids of the processes behind each name. */
type Parts = Record<string, () => number[]>;

/**
 * Measures the CPU time of one request in all processes together, including the access log's part, which comes later.
 * The CPU time of an idle system is subtracted, so that a slow round costs no more than a fast one.
 */
export async function cpuPerRequest(bench: Bench): Promise<Findings> {
  const bytes = pageBytes(0);
  const nginx = await startNginxOfFiles(`${bench.dir}/nginx`, { 'page.html': bytes });
  bench.defer(nginx.stop);
  const perch = await startPerch(bench);
  const { namespace, id } = await publish(perch.url, bytes);
  const page = `${perch.url}/${namespace}/${id}`;
  const plainPage = `${nginx.loggingUrl}/page.html`;
  const bare = await startBareReads(bench, page, perch);
  for (const url of [page, plainPage, bare.url]) await assertServes(url, bytes);
  const store = await makeStore(perch.url);
  const sql = await openPlainClient(bench, perch.servers.env.PG_URL ?? '', IN_FLIGHT);

  const get = (url: string) => () => runWrk(url, { connections: CONNECTIONS, seconds: bench.seconds });
  const put = () =>
    runWrkPuts({ url: perch.url, ...store, keys: KEYS }, { connections: IN_FLIGHT, seconds: bench.seconds });
  const parts = partsOf(perch);
  const ofPerch = (least: number, load: () => Promise<Load>) => () =>
    costs(parts, async () => {
      const before = await loggedRequests(sql);
      const done = await repeat(least, load);
      await untilLogged(sql, before + done.requests);
      return done;
    });
  const ofNginx = () => costs({ nginx: nginx.processes }, () => repeat(REQUESTS.page, get(plainPage)));
  const bareParts = { gateway: bare.processes, redis: parts.redis ?? (() => []) };
  const ofBare = () => costs(bareParts, () => repeat(REQUESTS.page, get(bare.url)));
  const client = { client: () => [process.pid], postgres: parts.postgres ?? (() => []) };
  const ofClient = () =>
    costs(client, async () => {
      let requests = 0;
      while (requests < REQUESTS.key)
        requests += (await upserts(sql, bench.seconds * 1000, IN_FLIGHT)).writes;
      return { requests, cpuMs: 0 };
    });

  const sides = {
    page: ofPerch(REQUESTS.page, get(page)),
    nginx: ofNginx,
    bare: ofBare,
    key: ofPerch(REQUESTS.key, put),
    plain: ofClient,
  };
  const found: Record<keyof typeof sides, Costs[]> = { page: [], nginx: [], bare: [], key: [], plain: [] };
  bench.progress('warming up');
  for (const measure of Object.values(sides)) await measure();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [name, measure] of Object.entries(sides)) {
      const cost = await measure();
      found[name as keyof typeof sides].push(cost);
      bench.progress(`round ${round}, ${name}: ${micros(cost.all ?? 0)} µs a request`);
    }
  }
  const [own, nginxOwn, bareOwn] = [found.page, found.nginx, found.bare].map(middle);
  const [key, plain] = [found.key, found.plain].map(middle);
  /** Within a round, so that load which comes and goes meets both alike. */
  const ofNginxTime = (names: string[]): number =>
    median(
      found.page.map((cost, round) => {
        const time = names.reduce((sum, name) => sum + (cost[name] ?? Number.NaN), 0);
        return time / (found.nginx[round]?.all ?? Number.NaN);
      }),
    );
  const names = [...Object.keys(parts), 'all', 'wrk'];
  const row = (name: string, ...costs: Array<Costs | undefined>): string[] => [
    name,
    ...costs.map((cost) => (cost?.[name] === undefined ? '' : micros(cost[name]))),
  ];
  return {
    table: [
      ['µs a request', 'GET of a page', 'nginx', 'bare server', 'PUT of a key', 'plain upsert'],
      ...[...names, 'nginx', 'client'].map((name) => row(name, own, nginxOwn, bareOwn, key, plain)),
      [
        ...['reference to Perch, with wrk', ratio(whole(nginxOwn) / whole(own)), '', ''],
        ...[ratio(whole(plain) / whole(key)), ''],
      ],
    ],
    notes: [
      `User and system time of all processes of each part, divided by requests; medians of ${ROUNDS} rounds in turns, less what the part uses in ${IDLE_MS / 1000} s without requests. A round of Perch ends when the last of its requests is in the access log.`,
      `GET: a page of 10 KB over ${CONNECTIONS} connections; nginx with one worker and an access log; the bare server is the floor of a gateway (infra/bench/bare-chain/reads.ts). PUT: a value of 1 KB over ${KEYS} keys, ${IN_FLIGHT} in flight; the plain client commits each upsert by itself.`,
    ],
    verdicts: [
      atMost("the gateway's time for a page, to nginx's", ofNginxTime(['gateway']), 2.2, ratio),
      atMost("all of Perch's, to nginx's", ofNginxTime(['all']), 3.2, ratio),
      atMost("an entry of the access log, to nginx's request", ofNginxTime(LOG_PARTS), 0.71, ratio),
    ],
  };
}

/** Parts that a GET of a page needs for its entry in the log alone. */
const LOG_PARTS = ['analytics', 'nats', 'postgres'];

function partsOf({ services, servers }: Perch): Parts {
  const { postgres, redis, nats, s3 } = servers;
  const of = (processes: Array<{ processes(): number[] } | null>) => () =>
    processes.flatMap((process) => process?.processes() ?? []);
  return {
    ...Object.fromEntries(Object.entries(services.processes).map(([name, started]) => [name, of(started)])),
    postgres: of([postgres]),
    redis: of([redis]),
    nats: of([nats]),
    s3: of([s3]),
  };
}

/** CPU time that a load costs each part, minus the part's idle CPU time. */
async function costs(parts: Parts, load: () => Promise<Done>): Promise<Costs> {
  const used = () => Object.entries(parts).map(([name, pids]) => [name, processorTime(pids())] as const);
  const over = async (work: () => Promise<unknown>) => {
    const before = Object.fromEntries(used());
    const began = performance.now();
    await work();
    const elapsedMs = performance.now() - began;
    return { elapsedMs, times: used().map(([name, ms]) => [name, ms - (before[name] ?? 0)] as const) };
  };
  let done: Done = { requests: 0, cpuMs: 0 };
  const busy = await over(async () => {
    done = await load();
  });
  const idle = await over(() => Bun.sleep(IDLE_MS));
  const idleShare = new Map(idle.times.map(([name, ms]) => [name, ms / idle.elapsedMs]));
  const micros = (ms: number): number => (ms * 1000) / done.requests;
  const times = busy.times.map(
    ([name, ms]) => [name, micros(ms - (idleShare.get(name) ?? 0) * busy.elapsedMs)] as const,
  );
  const all = times.reduce((sum, [, cost]) => sum + cost, 0);
  return { ...Object.fromEntries(times), all, wrk: micros(done.cpuMs) };
}

/** Rounds of wrk until there were so many requests. @throws when one failed */
async function repeat(least: number, load: () => Promise<Load>): Promise<Done> {
  const done: Done = { requests: 0, cpuMs: 0 };
  while (done.requests < least) {
    const { requests, cpuMs, badStatus, socketErrors } = await load();
    if (badStatus + socketErrors > 0) throw new Error(`${badStatus + socketErrors} requests failed`);
    done.requests += requests;
    done.cpuMs += cpuMs;
  }
  return done;
}

const whole = (cost: Costs | undefined): number => (cost?.all ?? Number.NaN) + (cost?.wrk ?? 0);
const micros = (value: number): string => value.toFixed(1);

function middle(costs: readonly Costs[]): Costs {
  const names = Object.keys(costs[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, median(costs.map((cost) => cost[name] ?? 0))]));
}

/** Requests that the access log has counted, each in the transaction that wrote it. */
async function loggedRequests(sql: Sql): Promise<number> {
  const [found] = await sql<Array<{ requests: string }>>`
    select coalesce(sum(requests), 0) as requests from access_days`;
  return Number(found?.requests ?? 0);
}

async function untilLogged(sql: Sql, requests: number): Promise<void> {
  const limit = performance.now() + LOG_LIMIT_MS;
  while ((await loggedRequests(sql)) < requests) {
    if (performance.now() > limit) throw new Error('the access log does not get done with the requests');
    await Bun.sleep(50);
  }
}
