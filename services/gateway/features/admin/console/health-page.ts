import { call } from '../../../../../shared/contracts/call.ts';
import type { ReplyOf } from '../../../../../shared/contracts/operation.ts';
import { describeBacklog, describeServer } from '../../../../../shared/contracts/server-state.ts';
import { scannerPing, servicePings } from '../../../../../shared/contracts/service-pings.ts';
import { readStats } from '../../../../../shared/contracts/stats.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { BEAT_MS } from '../../../../../shared/processes/heartbeat.ts';
import { type DependencyStates, statesOf } from '../../../../../shared/readiness.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { badge, facts, table } from './parts.ts';
import type { Words } from './words.ts';

const DAY_MS = 86_400_000;

/** A process that missed so many reports in a row is taken for dead. */
const MISSED = 3;

/** Counts of what waits end here. */
const MAX_COUNTED = 1000;

type ServerState = ReplyOf<typeof describeServer>;

/** How the server is: what it depends on, its processes, what it keeps and what waits. */
export async function healthPage({ deps, context, words }: ConsoleRequest): Promise<ConsolePage> {
  const { bus, blobs, cache, clock } = deps;
  const { callContext } = context;
  const now = clock.now();
  const known = async <T>(asked: Promise<T>): Promise<T | null> => await asked.catch(() => null);
  const [states, server, backlog, stats] = await Promise.all([
    statesOf({
      bus: () => bus.check(),
      blobs: () => blobs.check(),
      cache: () => cache.check(),
      ...servicePings(bus),
      ...(deps.config.scanning.clamdUrl === null ? {} : { scanner: scannerPing(bus) }),
    }),
    known(call(bus, describeServer, {}, callContext)),
    known(call(bus, describeBacklog, {}, callContext)),
    known(call(bus, readStats, { todayFrom: now - (now % DAY_MS) }, callContext)),
  ]);
  const { health: texts, common, sections } = words.texts;
  const totals = stats?.totals ?? [];
  const sum = (of: 'created' | 'deleted' | 'bytes' | 'viewsToday' | 'createdToday'): number =>
    totals.reduce((total, one) => total + one[of], 0);
  const ofServer = (write: (state: ServerState) => string): string =>
    server === null ? common.unknown : write(server);
  const ofStats = (text: string): string => (stats === null ? common.unknown : text);
  const atMost = (count: number): string =>
    count >= MAX_COUNTED ? common.orMore(words.number(MAX_COUNTED)) : words.number(count);
  const body = html`${dependencies(states, words)}
<h2>${texts.toDo}</h2>
${facts(words, [
  [
    texts.reports,
    html`<a href="/admin/reports">${ofServer(({ newReports }) => words.number(newReports))}</a>`,
  ],
  [texts.takedowns, ofServer(({ takedowns }) => words.number(takedowns))],
  [texts.batches, backlog === null ? common.unknown : words.number(backlog.waitingBatches)],
  [texts.itemsDue, ofServer(({ itemsDue }) => atMost(itemsDue))],
  [texts.blobsDue, ofServer(({ blobsDue }) => atMost(blobsDue))],
])}
<h2>${texts.kept}</h2>
${facts(words, [
  [texts.items, ofStats(words.number(sum('created') - sum('deleted')))],
  [texts.content, ofStats(words.size(sum('bytes')))],
  [texts.database, ofServer(({ databaseBytes }) => words.size(databaseBytes))],
  [texts.blobsWaiting, ofServer(({ blobsWaiting }) => atMost(blobsWaiting))],
  [texts.createdToday, ofStats(words.number(sum('createdToday')))],
  [texts.viewsToday, ofStats(words.number(sum('viewsToday')))],
  [texts.schema, ofServer(({ schema }) => String(schema))],
  [texts.sessions, ofServer(({ sessions }) => words.number(sessions))],
])}
<h2>${texts.processes}</h2>
${table(
  texts.processes,
  [texts.service, common.state, texts.version, texts.memory, texts.started, texts.heardOf, texts.process],
  (server?.processes ?? []).map((one) => row(one, now, words)),
  texts.noProcess,
)}`;
  return { title: sections.health, body };
}

function dependencies(states: DependencyStates, { texts }: Words): SafeHtml {
  const { health } = texts;
  const isWhole = Object.values(states).every((state) => state === 'up');
  const item = ([name, state]: [string, 'up' | 'down']): SafeHtml =>
    html`<li>${badge(health[state], state === 'up' ? 'good' : 'bad')} ${health.dependencies[name] ?? name}</li>`;
  return html`<p class="lead">${isWhole ? health.whole : health.broken}</p>
<ul class="console-states">${Object.entries(states).map(item)}</ul>`;
}

function row(
  { service, version, memoryBytes, startedAt, seenAt, processId }: ServerState['processes'][number],
  now: number,
  words: Words,
): SafeHtml {
  const { health } = words.texts;
  const lives = now - seenAt < MISSED * BEAT_MS;
  return html`<tr><th scope="row">${service}</th><td>${lives ? badge(health.up, 'good') : badge(health.silent, 'bad')}</td><td>${version}</td><td class="end">${words.size(memoryBytes)}</td><td>${words.stamp(startedAt)}</td><td>${words.stamp(seenAt)}</td><td><code>${processId}</code></td></tr>
`;
}
