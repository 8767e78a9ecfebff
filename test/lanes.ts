import { ownEnvironment } from '../infra/environment.ts';
import { type Servers, startServers } from '../infra/servers/all.ts';
import { failureOf } from './failures.ts';
import { type Outcome, runTests, type Suite, titleOf } from './suites.ts';

/** Suites that are under way say so this often, as what they print comes when they end; in ms. */
const NEWS_EVERY_MS = 60_000;

/** Where `infra/servers/port.ts` looks for ports, unless PERCH_PORTS is set. */
const PORTS = '20000-31999';

interface LaneOptions {
  lanes: number;
  /** Variables of all of them. */
  env: Record<string, string>;
  /** Ends the suites under way and begins no more; the servers stop all the same. */
  signal: AbortSignal;
}

/**
 * Runs suites side by side: each lane takes the next one that is left. Lanes have servers and ports of their own: the
 * services of two suites on one NATS would answer each other's requests. Outcomes come in the order of the suites.
 */
export async function runInLanes(suites: Suite[], { lanes, env, signal }: LaneOptions): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const underWay = new Map<string, number>();
  const waiting = [...suites.entries()];
  const count = Math.min(lanes, suites.length);
  // Alone, a suite is seen as it goes.
  const live = count === 1;

  async function runLane(lane: number): Promise<void> {
    let servers: Servers | null = null;
    try {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [index, suite] = next;
        const title = titleOf(suite);
        underWay.set(title, performance.now());
        process.stdout.write(`\n── ${title}${live ? '' : ' begins'}\n`);
        if (suite.needsServers) servers ??= await startServers({ use: ownEnvironment(), fsync: false });
        if (signal.aborted) break;
        const given = suite.needsServers ? servers?.env : {};
        const settings = { ...given, ...env, PERCH_PORTS: portsOf(lane, count) };
        outcomes[index] = await runTests(suite, settings, { live, signal });
        underWay.delete(title);
      }
    } finally {
      await servers?.stop();
    }
  }

  const news = setInterval(() => {
    const names = Array.from(underWay, ([name, since]) => `${name} (${minutesSince(since)} min)`);
    if (!live && names.length > 0) process.stdout.write(`\n── under way: ${names.join(', ')}\n`);
  }, NEWS_EVERY_MS);
  const ended = await Promise.allSettled(Array.from({ length: count }, (_, lane) => runLane(lane)));
  clearInterval(news);
  const reasons = ended.flatMap((lane) => (lane.status === 'rejected' ? [String(lane.reason)] : []));
  for (const reason of reasons) process.stderr.write(`${reason}\n`);
  // A suite whose lane had no servers never ran, which is a failure.
  return suites.map(({ name, paths }, index) => {
    const failures = [failureOf('never began', paths.join(' '), reasons.join('\n'))];
    return outcomes[index] ?? { name, passed: 0, failed: 1, seconds: 0, failures };
  });
}

const minutesSince = (start: number): number => Math.round((performance.now() - start) / 60_000);

function portsOf(lane: number, lanes: number): string {
  const [first = 0, last = 0] = (ownEnvironment().PERCH_PORTS ?? PORTS).split('-').map(Number);
  const each = Math.floor((last - first + 1) / lanes);
  const ofLane = first + lane * each;
  return `${ofLane}-${ofLane + each - 1}`;
}
