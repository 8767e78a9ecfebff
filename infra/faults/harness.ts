import postgres, { type Sql } from 'postgres';
import type { ServiceCounts } from '../distributed.ts';
import { auditTargets, type Written } from '../load/audit.ts';
import { createClient } from '../load/client.ts';
import { loadContract } from '../load/contract.ts';
import type { Finding, Note } from '../load/findings.ts';
import { auditAccessLog } from './audit/access-log.ts';
import { compareBlobs, openS3Store } from './audit/blobs.ts';
import { auditSavedViews, auditTotals, auditUploads } from './audit/totals.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { type CycleResult, runCycle } from './cycle.ts';
import { type CyclePlan, type PlanOptions, planCycles, QUICK, USUAL } from './plan.ts';

export interface HarnessOptions extends PlanOptions {
  /** Shorter pauses, for a short run. */
  quick: boolean;
  /** How many times a cycle kills or pauses its part; 1 unless said otherwise. */
  strikes?: number;
  /** Each server several times: one is hit, and the others have to take over. */
  isHa?: boolean;
  /** How many clusters share the cycles of the plan, at the same time; 1 unless said otherwise. */
  clusters?: number;
  /** Once it is given no further cycle begins; the audit at the end is of those that were. */
  signal?: AbortSignal;
  /** Told of each cycle as it ends, and of the audit at the end. */
  onProgress(line: string): void;
}

export interface HarnessResult {
  cycles: CycleResult[];
  findings: Finding[];
  /** Rows of the access log that went with killed gateways, before they had left them, or with PostgreSQL's data. */
  rowsLost: number;
  /** Blobs that are as they should be. */
  blobs: number;
  /** Blobs of items that went with PostgreSQL's data. */
  blobsLeft: number;
  /** Where the logs of the clusters are in which something was found. */
  logs: string[];
}

const TWO_OF_EACH: ServiceCounts = {
  gateway: 2,
  content: 2,
  kv: 2,
  site: 2,
  analytics: 2,
};

/** For a short run: what it hits is there twice. */
const FEWER: ServiceCounts = {
  gateway: 2,
  content: 2,
  kv: 2,
  site: 1,
  analytics: 1,
};

/** Starts clusters, breaks one part of each after another under load, and compares what is left with what was promised. */
export async function runHarness(options: HarnessOptions): Promise<HarnessResult> {
  const { clusters = 1, signal } = options;
  const failing = new AbortController();
  const ending = signal === undefined ? failing.signal : AbortSignal.any([signal, failing.signal]);
  const runs = Array.from({ length: clusters }, (_, lane) =>
    runCluster({ ...options, clusters, signal: ending }, lane).catch((error: unknown) => {
      failing.abort();
      throw error;
    }),
  );
  // Each ends what it has started, also where another has failed.
  await Promise.allSettled(runs);
  const results = await Promise.all(runs);
  const sum = (count: (result: HarnessResult) => number): number =>
    results.reduce((all, result) => all + count(result), 0);
  return {
    cycles: results.flatMap(({ cycles }) => cycles).toSorted((a, b) => a.plan.number - b.plan.number),
    findings: results.flatMap(({ findings }) => findings),
    rowsLost: sum(({ rowsLost }) => rowsLost),
    blobs: sum(({ blobs }) => blobs),
    blobsLeft: sum(({ blobsLeft }) => blobsLeft),
    logs: results.flatMap(({ logs }) => logs),
  };
}

/** Every so many cycles of the plan, on a cluster of its own. */
async function runCluster(
  options: HarnessOptions & { clusters: number },
  lane: number,
): Promise<HarnessResult> {
  const cluster = await startCluster(options.quick && !options.isHa ? FEWER : TWO_OF_EACH, options.isHa);
  const findings: Finding[] = [];
  let isSound = false;
  try {
    const plans = planCycles(cluster.components, options);
    const own = plans.filter((_, index) => index % options.clusters === lane);
    const cycles = await runCycles(cluster, own, options, findings);
    const audited = await auditAll(cluster, cycles, findings, options);
    isSound = findings.length === 0;
    return { cycles, findings, ...audited, logs: isSound ? [] : [cluster.dir] };
  } finally {
    await cluster.stop({ keepLogs: !isSound });
  }
}

async function runCycles(
  cluster: Cluster,
  plans: readonly CyclePlan[],
  options: HarnessOptions,
  findings: Finding[],
): Promise<CycleResult[]> {
  const { gateways } = cluster;
  const contract = await loadContract(gateways[0] ?? '');
  const durations = options.quick ? QUICK : USUAL;
  const results: CycleResult[] = [];
  for (const plan of plans) {
    if (options.signal?.aborted) break;
    const during = `${plan.component.name} ${plan.fault}`;
    const before = findings.length;
    const note: Note = (kind, text) => findings.push({ kind, cycle: plan.number, during, text });
    const start = performance.now();
    const { strikes = 1 } = options;
    const result = await runCycle(plan, {
      gateways,
      env: cluster.env,
      contract,
      durations,
      strikes,
      note,
    });
    results.push(result);
    const { writes, tally, recoveriesMs } = result;
    const slowestMs = recoveriesMs.includes(null) ? null : Math.max(...recoveriesMs.map(Number));
    const parts = [
      `${plan.number} ${during}`.padEnd(30),
      `${writes.acknowledged} acknowledged, ${writes.refused} refused, ${writes.unanswered} unanswered`,
      result.outage === null
        ? ''
        : `reads away ${Math.round(result.outage.reads)} ms, lists ${Math.round(result.outage.lists)} ms, writes ${Math.round(result.outage.writes)} ms`,
      slowestMs === null
        ? 'did not recover within a minute'
        : `recovered in ${Math.round(slowestMs)} ms${result.slowest === '' ? '' : ` (${result.slowest})`}`,
      `worst ${Math.round(tally.worstMs)} ms (${tally.worst})`,
      `${((performance.now() - start) / 1000).toFixed(1)} s`,
    ];
    options.onProgress(parts.join(' · '));
    for (const { kind, text } of findings.slice(before)) options.onProgress(`    ${kind}: ${text}`);
    for (const text of result.overtaken) options.onProgress(`    overtaken: ${text}`);
  }
  return results;
}

const FINAL_PATIENCE_MS = 30_000;

/** Everything once more, when all is over. */
async function auditAll(
  { gateways, env }: Cluster,
  cycles: CycleResult[],
  findings: Finding[],
  { onProgress }: HarnessOptions,
): Promise<Pick<HarnessResult, 'rowsLost' | 'blobs' | 'blobsLeft'>> {
  const before = findings.length;
  const noteIn =
    (cycle: number): Note =>
    (kind, text) =>
      findings.push({
        kind,
        cycle,
        during: duringOf(cycles.find(({ plan }) => plan.number === cycle)),
        text,
      });
  const note = noteIn(0);
  const [gateway = ''] = gateways;
  const sql = postgres(env.PG_URL ?? '', { max: 1, onnotice: () => undefined });
  try {
    const written = cycles.reduce((sum, cycle) => sum + cycle.written.length, 0);
    onProgress(`reading ${written} items and keys once more`);
    const contract = await loadContract(gateway);
    const neverAway = { standstillMs: 0, mayBreakOff: () => false, mayBeRefused: () => false };
    for (const { plan, ...cycle } of cycles) {
      const client = createClient({
        gateways,
        contract,
        note: noteIn(plan.number),
        mark: 'final',
        ...neverAway,
      });
      await auditTargets(cycle.written, {
        client,
        note: noteIn(plan.number),
        patienceMs: FINAL_PATIENCE_MS,
        reads: readsAtTheEnd(plan.number % gateways.length),
      });
    }
    onProgress('comparing blobs, statistics, views and the access log');
    await auditTotals(sql, gateway, note);
    await auditSavedViews(
      sql,
      gateway,
      cycles.map(({ hotPage }) => hotPage.target),
      note,
    );
    const logged = cycles.map(({ plan, tally, killedGateways, lost }) => ({
      cycle: plan.number,
      mark: `c${plan.number}`,
      requests: tally.requests,
      killed: killedGateways,
      lost,
    }));
    const rowsLost = await auditAccessLog(sql, logged, noteIn);
    await bringForward(sql);
    const unknown = cycles.reduce((all, cycle) => all.union(cycle.unknownBlobs), new Set<string>());
    const { sound: blobs, left: blobsLeft } = await auditBlobs(env, unknown, note);
    await auditUploads(env.UPLOAD_DIR ?? '', note);
    for (const { kind, text } of findings.slice(before)) onProgress(`    ${kind}: ${text}`);
    return { rowsLost, blobs, blobsLeft };
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Makes what is in the trash due: nothing is under way any more, and nobody wants to wait for the grace to be over. */
async function bringForward(sql: Sql): Promise<void> {
  await sql`update blob_trash set delete_after = now() where not doomed or delete_after > now() + interval '1 minute'`;
}

/** After the sweeps the store holds what the items refer to, what PostgreSQL has lost, and nothing else. */
async function auditBlobs(
  env: Record<string, string>,
  unknown: ReadonlySet<string>,
  note: Note,
): Promise<{ sound: number; left: number }> {
  try {
    const { orphans: all, missing, sound } = await compareBlobs(env.PG_URL ?? '', () => openS3Store(env));
    const orphans = all.filter((key) => !unknown.has(key));
    if (orphans.length > 0) note('blobs', `${orphans.length} blobs of no item, such as ${orphans[0]}`);
    if (missing.length > 0) note('blobs', `${missing.length} blobs of items are gone, such as ${missing[0]}`);
    return { sound, left: all.length - orphans.length };
  } catch (error) {
    note('blobs', String(error));
    return { sound: 0, left: 0 };
  }
}

const duringOf = (cycle: CycleResult | undefined): string =>
  cycle === undefined ? 'the whole run' : `${cycle.plan.component.name} ${cycle.plan.fault}`;

/** Each was read at every address after its cycle: now one read each, of a site all of its files. */
const readsAtTheEnd =
  (gateway: number) =>
  ({ kind, target }: Written) => {
    const reads = kind.reads(target).map((read) => ({ read, gateway }));
    return kind.name === 'site' ? reads : reads.slice(0, 1);
  };
