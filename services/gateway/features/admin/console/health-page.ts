import { call } from '../../../../../shared/contracts/call.ts';
import type { ReplyOf } from '../../../../../shared/contracts/operation.ts';
import { describeBacklog, describeServer } from '../../../../../shared/contracts/server-state.ts';
import { servicePings } from '../../../../../shared/contracts/service-pings.ts';
import { readStats } from '../../../../../shared/contracts/stats.ts';
import { formatSize } from '../../../../../shared/pages/format-size.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { BEAT_MS } from '../../../../../shared/processes/heartbeat.ts';
import { type DependencyStates, statesOf } from '../../../../../shared/readiness.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { badge, facts, number, stamp, table } from './parts.ts';

const DAY_MS = 86_400_000;

/** A process that missed so many reports in a row is taken for dead. */
const MISSED = 3;

type ServerState = ReplyOf<typeof describeServer>;

/** How the server is: what it depends on, its processes, what it keeps and what waits. */
export async function healthPage({ deps, context }: ConsoleRequest): Promise<ConsolePage> {
  const { bus, blobs, cache, clock } = deps;
  const { callContext } = context;
  const now = clock.now();
  const known = async <T>(asked: Promise<T>): Promise<T | null> => await asked.catch(() => null);
  const [states, server, backlog, stats] = await Promise.all([
    statesOf({
      ...{ bus: () => bus.check(), blobs: () => blobs.check(), cache: () => cache.check() },
      ...servicePings(bus),
    }),
    known(call(bus, describeServer, {}, callContext)),
    known(call(bus, describeBacklog, {}, callContext)),
    known(call(bus, readStats, { todayFrom: now - (now % DAY_MS) }, callContext)),
  ]);
  const totals = stats?.totals ?? [];
  const sum = (of: 'created' | 'deleted' | 'bytes' | 'viewsToday' | 'createdToday'): number =>
    totals.reduce((total, one) => total + one[of], 0);
  const whenKnown = (isKnown: boolean, text: string): string => (isKnown ? text : 'unknown');
  const body = html`${dependencies(states)}
<h2>To do</h2>
${facts([
  [
    'Reports to review',
    html`<a href="/admin/reports">${whenKnown(server !== null, number(server?.newReports ?? 0))}</a>`,
  ],
  ['Takedowns of owners under way', whenKnown(server !== null, number(server?.takedowns ?? 0))],
  [
    'Batches on their way into the access log',
    whenKnown(backlog !== null, number(backlog?.waitingBatches ?? 0)),
  ],
  ['Expired items to remove', whenKnown(server !== null, atMost(server?.itemsDue))],
  ['Content to remove now', whenKnown(server !== null, atMost(server?.blobsDue))],
])}
<h2>Kept</h2>
${facts([
  ['Items', whenKnown(stats !== null, number(sum('created') - sum('deleted')))],
  ['Their content', whenKnown(stats !== null, formatSize(sum('bytes')))],
  ['Database', whenKnown(server !== null, formatSize(server?.databaseBytes ?? 0))],
  ['Content without an item, uploads among it', whenKnown(server !== null, atMost(server?.blobsWaiting))],
  ['Created today (UTC)', whenKnown(stats !== null, number(sum('createdToday')))],
  ['Views today (UTC)', whenKnown(stats !== null, number(sum('viewsToday')))],
  ['Schema of the database', whenKnown(server !== null, String(server?.schema ?? ''))],
  ['Browsers signed in to the console', whenKnown(server !== null, number(server?.sessions ?? 0))],
])}
<h2>Processes</h2>
${table(
  'Processes',
  ['Service', 'State', 'Version', 'Memory', 'Started', 'Heard of', 'Process'],
  (server?.processes ?? []).map((one) => row(one, now)),
  'No process could be asked.',
)}`;
  return { title: 'Health', body };
}

/** Counts of what waits end at a thousand. */
const atMost = (count = 0): string => (count >= 1000 ? '1,000 or more' : number(count));

function dependencies(states: DependencyStates): SafeHtml {
  const isWhole = Object.values(states).every((state) => state === 'up');
  return html`<p class="lead">${isWhole ? 'All that the server depends on answers.' : 'Something that the server depends on does not answer.'}</p>
<ul class="console-states">${Object.entries(states).map(([name, state]) => html`<li>${badge(state, state === 'up' ? 'good' : 'bad')} ${NAMES[name] ?? name}</li>`)}</ul>`;
}

const NAMES: Readonly<Record<string, string>> = {
  bus: 'message bus',
  blobs: 'content store',
  cache: 'cache',
  content: 'content service and database',
  kv: 'kv service',
  site: 'site service',
  analytics: 'analytics service',
};

function row(
  { service, version, memoryBytes, startedAt, seenAt, processId }: ServerState['processes'][number],
  now: number,
): SafeHtml {
  const lives = now - seenAt < MISSED * BEAT_MS;
  return html`<tr><th scope="row">${service}</th><td>${badge(lives ? 'up' : 'silent', lives ? 'good' : 'bad')}</td><td>${version}</td><td class="end">${formatSize(memoryBytes)}</td><td>${stamp(startedAt)}</td><td>${stamp(seenAt)}</td><td><code>${processId}</code></td></tr>
`;
}
