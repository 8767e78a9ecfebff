import {
  type AccessEntry,
  type AccessFilter,
  chartAccess,
  listAccess,
} from '../../../../../shared/contracts/access-log.ts';
import { call } from '../../../../../shared/contracts/call.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { isSet } from '../../../http/parameters.ts';
import { parseAccessFilter } from '../access-log.ts';
import { cursorOf, parseListQuery } from '../list-page.ts';
import { accessChart, chartSpan } from './chart.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { addressWith, badge, facts, filterForm, table, textField } from './parts.ts';
import type { Words } from './words.ts';

const PATH = '/admin/access';
const PAGE = { default: 50, max: 250, id: /^\d{1,15}$/ };
const DAY_MS = 86_400_000;

/** Entries of the log that a chart counts at most. */
const COUNTED = 50_000;

/** The access log: filters, requests over time, latencies and the entries themselves. */
export async function accessPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context, words } = request;
  const { access: texts, common, sections } = words.texts;
  const query = context.query();
  const { page, filter } = parseListQuery(query, PAGE, parseAccessFilter);
  const { limit, after } = page;
  const live = isSet(query, 'live');
  const to = filter.to ?? deps.clock.now();
  const span = chartSpan(filter.from ?? to - DAY_MS, Math.max(to, (filter.from ?? 0) + 1));
  const bounded = { ...filter, from: filter.from ?? span.from, to: filter.to ?? span.to };
  const charted = { filter: bounded, origin: span.from, bucketMs: span.barMs };
  const place = after === null ? null : { ...after, id: Number(after.id) };
  const input = { filter, after: place, offset: 0, limit, counted: false };
  const [chart, list] = await Promise.all([
    call(deps.bus, chartAccess, charted, context.callContext),
    call(deps.bus, listAccess, input, context.callContext),
  ]);
  context.isUnlogged = live;
  const hrefOf = (from: number, until: number): string =>
    addressWith(PATH, query, { from: iso(from), to: iso(until), cursor: null, live: null });
  const last = list.more ? list.items.at(-1) : undefined;
  const next = last === undefined ? null : cursorOf({ createdAt: last.createdAt, id: String(last.id) });
  const body = html`${form(query, filter, words)}
<p class="console-live"><a class="console-button" href="${addressWith(PATH, query, { live: live ? null : '1', cursor: null })}"${live ? html` aria-current="true"` : null}>${live ? texts.stop : texts.follow}</a> <span id="live-state" class="muted" role="status">${live ? texts.following : null}</span></p>
<div id="access-list"${live ? html` data-live` : null}>
${accessChart(span, chart.buckets, hrefOf, words)}
${percentiles(chart, words)}
${table(
  sections.access,
  [common.when, common.client, texts.request, common.status, texts.took, common.userAgent, common.item],
  list.items.map((entry) => row(query, entry, words)),
  texts.none,
)}
<nav class="console-pager" aria-label="${common.parts}">${after === null ? null : html`<a href="${addressWith(PATH, query, { cursor: null })}">${common.newest}</a>`}${next === null ? null : html`<a href="${addressWith(PATH, query, { cursor: next, live: null })}" rel="next">${common.older}</a>`}</nav>
</div>`;
  return { title: sections.access, body };
}

const iso = (at: number): string => new Date(at).toISOString();

function form(query: URLSearchParams, filter: AccessFilter, words: Words): SafeHtml {
  const { access: texts, common } = words.texts;
  const asked = (name: string): string | null => query.get(name)?.trim() || null;
  return filterForm(words, PATH, [
    textField('ip', common.client, filter.clientIp ?? asked('ip'), '192.0.2.1'),
    textField('method', texts.method, filter.method, 'GET'),
    textField('status', common.status, asked('status'), texts.statusExample),
    textField('path', texts.path, asked('path'), '/public/'),
    textField('resource', common.item, asked('resource'), 'public/Ab3dE6gH9k'),
    textField('ua', texts.userAgent, filter.userAgent),
    textField('from', texts.from, asked('from'), '2026-11-21T07:00:00Z'),
    textField('to', texts.before, asked('to'), '2026-11-22'),
  ]);
}

function percentiles(
  {
    buckets,
    latency,
    isLowerBound,
  }: {
    buckets: ReadonlyArray<{ requests: number; refused: number; failed: number }>;
    latency: Record<'p50' | 'p95' | 'p99', number | null>;
    isLowerBound: boolean;
  },
  words: Words,
): SafeHtml {
  const { access: texts, common } = words.texts;
  const sum = (of: 'requests' | 'refused' | 'failed'): number =>
    buckets.reduce((total, bucket) => total + bucket[of], 0);
  const all = sum('requests');
  const share = (count: number): string =>
    `${words.number(count)} (${words.percent(all === 0 ? 0 : count / all)})`;
  const ms = (value: number | null): string =>
    value === null ? '–' : `${words.decimal(value, value < 10 ? 2 : 0)} ms`;
  const total = words.number(all);
  return html`${facts(words, [
    [texts.requests, isLowerBound ? common.orMore(total) : total],
    [texts.refused, share(sum('refused'))],
    [texts.failed, share(sum('failed'))],
    [texts.half, ms(latency.p50)],
    [texts.p95, ms(latency.p95)],
    [texts.p99, ms(latency.p99)],
  ])}
${isLowerBound ? html`<p class="hint">${texts.tooMany(words.number(COUNTED))}</p>` : null}`;
}

function row(query: URLSearchParams, entry: AccessEntry, words: Words): SafeHtml {
  const { createdAt, clientIp, method, path, query: search, status, durationMs, requests, userAgent } = entry;
  const { resourceNamespace, resourceId } = entry;
  const only = (changes: Record<string, string>): string =>
    addressWith(PATH, query, { ...changes, cursor: null, live: null });
  const item =
    resourceNamespace === null || resourceId === null ? null : `${resourceNamespace}/${resourceId}`;
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'plain';
  const more = requests > 1 ? words.texts.access.more(words.number(requests - 1)) : null;
  return html`<tr><td>${words.stamp(createdAt)}</td><td><a href="${only({ ip: clientIp })}">${clientIp}</a></td><th scope="row"><code>${method} ${path}${search === '' ? null : `?${search}`}</code>${more === null ? null : html` <span class="muted">${more}</span>`}</th><td>${badge(String(status), tone)}</td><td class="end">${words.decimal(durationMs, 1)} ms</td><td class="console-text muted">${userAgent}</td><td>${item === null ? null : html`<a href="${only({ resource: item })}">${item}</a>`}</td></tr>
`;
}
