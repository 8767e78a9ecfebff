import { allReads, auditTargets, type Written } from '../load/audit.ts';
import { createClient, type Tally } from '../load/client.ts';
import type { Contract } from '../load/contract.ts';
import type { Note } from '../load/findings.ts';
import { nameOf } from '../load/kinds/kind.ts';
import { startTraffic, type Traffic } from '../load/traffic.ts';
import { createRandom, type Random } from '../random.ts';
import { untilSent } from './audit/access-log.ts';
import { auditOwnerList } from './audit/lists.ts';
import { auditViews } from './audit/totals.ts';
import type { Fault, Heal } from './components.ts';
import { copyInPause, type DatabaseLoss, storedBlobs } from './earlier-data.ts';
import type { CyclePlan, Durations } from './plan.ts';
import { type Outage, type Probe, prepareProbes, type Recovery, untilRecovered } from './recovery.ts';

export interface CycleResult {
  plan: CyclePlan;
  writes: Traffic['writes'];
  tally: Tally;
  /** How long the recovery from each strike took, from the beginning of the repair on, in ms; `null`: not within a minute. */
  recoveriesMs: Array<number | null>;
  /** How long requests failed while others took over from the part. */
  outage: Outage | null;
  /** The operation that took longest to succeed again. */
  slowest: string;
  /** Acknowledged writes that an earlier one without an answer came after. */
  overtaken: string[];
  /** Views that the cache has lost. */
  viewsMissing: number;
  written: Written[];
  hotPage: Traffic['hotPage'];
  killedGateways: KilledGateway[];
  /** The writes that a PostgreSQL restored to an earlier state has lost. */
  lost: DatabaseLoss | null;
  /** Blobs that may be left, as PostgreSQL does not know of them any more. */
  unknownBlobs: ReadonlySet<string>;
}

export interface KilledGateway {
  gateway: number;
  at: number;
}

export interface CycleOptions {
  gateways: string[];
  /** How many times a part is killed or paused, one after the other; whatever else is done to it is done once. */
  strikes: number;
  /** Where the servers are. */
  env: Record<string, string>;
  contract: Contract;
  durations: Durations;
  note: Note;
}

/** How long what is read may be behind, or be refused, once every kind of request succeeds again, in ms. */
const BEHIND_MS = 15_000;

/** Faults that take data away. Nobody reads what is out of date after them. */
const LOSING: ReadonlySet<Fault> = new Set<Fault>(['back', 'lost-second']);

/** Breaks one part under load and mends it, once or several times, and compares all that was written meanwhile. */
export async function runCycle(plan: CyclePlan, options: CycleOptions): Promise<CycleResult> {
  const { component, fault, number } = plan;
  const { gateways, env, contract, durations, note } = options;
  const strikes = strikesOf(plan, options);
  const random = createRandom(plan.seed);
  const isDatabaseLoss = component.name === 'postgres' && fault === 'back';
  const isGatewayKill = component.name === 'gateway' && fault === 'kill';
  const killedGateways: KilledGateway[] = [];
  let wasStruck = false;
  let isStruck = false;
  let recoveredAt = 0;
  const name = `c${number}`;
  const client = createClient({
    gateways,
    contract,
    note,
    mark: name,
    standstillMs: fault === 'pause' ? durations.pause : 0,
    mayBreakOff: (gateway) => killedGateways.some((killed) => killed.gateway === gateway),
    mayBeRefused: (sentAt) => isStruck || sentAt < recoveredAt,
  });
  const probes = await prepareProbes(gateways[0] ?? '', name, component.isRedundant);
  const traffic = await startTraffic({
    client,
    name: `${name}-load`,
    seed: plan.seed,
    note,
    steps: STEPS_A_STRIKE * strikes,
    isCalm: () => !wasStruck || LOSING.has(fault),
    readsBack: LOSING.has(fault),
  });
  const logged = { cycle: number, mark: name, requests: client.tally.requests, killed: [], lost: null };

  async function breakAndMend(afterSteps: number) {
    const member = random.between(0, component.members - 1);
    await traffic.afterSteps(afterSteps + random.between(...durations.before));
    wasStruck = true;
    isStruck = true;
    // Its connections break a little before the kill is known to be done.
    const killed = { gateway: member, at: Date.now() };
    if (isGatewayKill) killedGateways.push(killed);
    const strike = (): Promise<Heal> => component.strike(fault, member);
    const heal = isDatabaseLoss
      ? await copyInPause({ gateways, env, probes, traffic, logged, note, strike })
      : await strike();
    killed.at = Date.now();
    const { recovery, lost } = component.isRedundant
      ? await takeOver(gateways, probes, heal)
      : await mend(gateways, probes, { heal, holdMs: holdMs(fault, durations, random) });
    recoveredAt = Date.now();
    isStruck = false;
    if ('stuck' in recovery) note('not-recovered', recovery.stuck);
    return { recovery, lost };
  }

  const mended = [await breakAndMend(0)];
  while (mended.length < strikes) mended.push(await breakAndMend(traffic.begun()));
  const lost = mended.find((one) => one.lost !== null)?.lost ?? null;
  const unknownBlobs = lost === null ? new Set<string>() : (await storedBlobs(env)).difference(lost.known);
  await Bun.sleep(durations.after);
  const views = await traffic.stop();

  const { hotPage, written, ownerToken } = traffic;
  for (const { target } of written) target.register.forgetLost();
  // A snapshot of the views is at most ten seconds old: what was counted since may go with a cache that is killed, or from
  // which another one takes over.
  const isLost = component.name.startsWith('redis') && (fault !== 'pause' || component.isRedundant === true);
  const mayMiss = isLost ? views.counted : 0;
  await untilSent(gateways, note);
  const viewsMissing = await auditViews(gateways, `/${nameOf(hotPage.target)}`, views, { mayMiss, note });
  const overtaken: string[] = [];
  await auditTargets(written, {
    client,
    note,
    patienceMs: BEHIND_MS,
    reads: allReads(client),
    onOvertaken: (text) => overtaken.push(text),
  });
  await auditOwnerList(client, { ownerToken, written: [...written, hotPage] }, note);
  const recoveries = mended.map(({ recovery }) => recovery);
  return {
    plan,
    viewsMissing,
    overtaken,
    written,
    hotPage,
    killedGateways,
    lost,
    unknownBlobs,
    writes: traffic.writes,
    tally: client.tally,
    recoveriesMs: recoveries.map((recovery) => ('stuck' in recovery ? null : recovery.ms)),
    ...slowestOf(recoveries, component.isRedundant ?? false),
  };
}

/** Enough for a writer not to be at its end while a part is away. */
const STEPS_A_STRIKE = 100;

/** A part of many that takes over is away for long, and lost data is compared with one copy. */
const strikesOf = ({ component, fault }: CyclePlan, { strikes }: CycleOptions): number =>
  (fault === 'kill' || fault === 'pause') && !component.isRedundant ? strikes : 1;

/** The strike whose recovery took longest. */
function slowestOf(
  recoveries: ReadonlyArray<Recovery | { stuck: string }>,
  isRedundant: boolean,
): Pick<CycleResult, 'slowest' | 'outage'> {
  const stuck = recoveries.find((recovery) => 'stuck' in recovery);
  if (stuck !== undefined) return { slowest: stuck.stuck, outage: null };
  const [longest] = recoveries.filter((recovery) => 'ms' in recovery).toSorted((a, b) => b.ms - a.ms);
  return { slowest: longest?.slowest ?? '', outage: isRedundant ? (longest?.outage ?? null) : null };
}

type Mending = Heal | (() => Promise<DatabaseLoss>);

async function mend(gateways: string[], probes: Probe[], options: { heal: Mending; holdMs: number }) {
  await Bun.sleep(options.holdMs);
  const healedAt = performance.now();
  const lost = (await options.heal()) ?? null;
  return { recovery: await untilRecovered(gateways, probes, healedAt), lost };
}

/** All has to succeed for so long, in ms: it may not be noticed at once that a part is broken. */
const STEADY_MS = 2_000;

/** All has to work without the part, which comes back only then. */
async function takeOver(gateways: string[], probes: Probe[], heal: Mending) {
  const recovery = await untilRecovered(gateways, probes, performance.now(), STEADY_MS);
  const lost = (await heal()) ?? null;
  // With it back nothing may break, either.
  await untilRecovered(gateways, probes, performance.now());
  return { recovery, lost };
}

function holdMs(fault: Fault, durations: Durations, random: Random): number {
  if (fault === 'kill' || fault === 'lost-second') return random.between(...durations.away);
  if (fault === 'pause') return durations.pause;
  return fault === 'reset' || fault === 'busy' ? 0 : durations.broken;
}
