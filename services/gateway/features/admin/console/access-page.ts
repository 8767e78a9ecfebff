import {
  type AccessEntry,
  type AccessFilter,
  chartAccess,
  listAccess,
} from '../../../../../shared/contracts/access-log.ts';
import { call } from '../../../../../shared/contracts/call.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { isSet } from '../../../http/flags.ts';
import { parseAccessFilter } from '../access-filter.ts';
import { cursorOf, parseListQuery } from '../list-page.ts';
import { accessChart, chartSpan } from './chart.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { addressWith, badge, facts, filterForm, number, stamp, table, textField } from './parts.ts';

const PATH = '/admin/access';
const PAGE = { default: 50, max: 250, id: /^\d{1,15}$/ };
const DAY_MS = 86_400_000;
const COLUMNS = ['When', 'Client', 'Request', 'Status', 'Took', 'User-Agent', 'Item'];

/** The access log: filters, requests over time, latencies and the entries themselves. */
export async function accessPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context } = request;
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
  const hrefOf = (from: number, until: number): string =>
    addressWith(PATH, query, { from: iso(from), to: iso(until), cursor: null, live: null });
  const last = list.more ? list.items.at(-1) : undefined;
  const next = last === undefined ? null : cursorOf({ createdAt: last.createdAt, id: String(last.id) });
  const body = html`${form(query, filter)}
<p class="console-live"><a class="console-button" href="${addressWith(PATH, query, { live: live ? null : '1', cursor: null })}"${live ? html` aria-current="true"` : null}>${live ? 'Stop following' : 'Follow new requests'}</a> <span id="live-state" class="muted" role="status">${live ? 'Following' : null}</span></p>
<div id="access-list"${live ? html` data-live` : null}>
${accessChart(span, chart.buckets, hrefOf)}
${percentiles(chart)}
${table(
  'Access log',
  COLUMNS,
  list.items.map((entry) => row(query, entry)),
  'No request passes this filter.',
)}
<nav class="console-pager" aria-label="Parts of the list">${after === null ? null : html`<a href="${addressWith(PATH, query, { cursor: null })}">Newest</a>`}${next === null ? null : html`<a href="${addressWith(PATH, query, { cursor: next, live: null })}" rel="next">Older</a>`}</nav>
</div>`;
  return { title: 'Access log', body };
}

const iso = (at: number): string => new Date(at).toISOString();

function form(query: URLSearchParams, filter: AccessFilter): SafeHtml {
  const asked = (name: string): string | null => query.get(name)?.trim() || null;
  return filterForm(PATH, [
    textField('ip', 'Client', filter.clientIp ?? asked('ip'), { placeholder: '192.0.2.1' }),
    textField('method', 'Method', filter.method, { placeholder: 'GET' }),
    textField('status', 'Status', asked('status'), { placeholder: '404 or 4xx' }),
    textField('path', 'Path begins with', asked('path'), { placeholder: '/public/' }),
    textField('resource', 'Item', asked('resource'), { placeholder: 'public/Ab3dE6gH9k' }),
    textField('ua', 'User-Agent has', filter.userAgent),
    textField('from', 'From (UTC)', asked('from'), { placeholder: '2026-11-21T07:00:00Z' }),
    textField('to', 'Before (UTC)', asked('to'), { placeholder: '2026-11-22' }),
  ]);
}

function percentiles({
  buckets,
  latency,
  isLowerBound,
}: {
  buckets: ReadonlyArray<{ requests: number; refused: number; failed: number }>;
  latency: Record<'p50' | 'p95' | 'p99', number | null>;
  isLowerBound: boolean;
}): SafeHtml {
  const sum = (of: 'requests' | 'refused' | 'failed'): number =>
    buckets.reduce((total, bucket) => total + bucket[of], 0);
  const all = sum('requests');
  const share = (count: number): string =>
    all === 0 ? '0 %' : `${number(count)} (${((count / all) * 100).toFixed(1)} %)`;
  const ms = (value: number | null): string =>
    value === null ? '–' : `${value < 10 ? value.toFixed(2) : Math.round(value)} ms`;
  return html`${facts([
    ['Requests in this time', `${number(all)}${isLowerBound ? ' or more' : ''}`],
    ['Answered 4xx', share(sum('refused'))],
    ['Answered 5xx', share(sum('failed'))],
    ['Half took up to', ms(latency.p50)],
    ['95 % up to', ms(latency.p95)],
    ['99 % up to', ms(latency.p99)],
  ])}
${isLowerBound ? html`<p class="hint">There are very many: only the newest 50,000 entries are counted. Choose a shorter time.</p>` : null}`;
}

function row(query: URLSearchParams, entry: AccessEntry): SafeHtml {
  const { createdAt, clientIp, method, path, query: search, status, durationMs, requests, userAgent } = entry;
  const { resourceNamespace, resourceId } = entry;
  const only = (changes: Record<string, string>): string =>
    addressWith(PATH, query, { ...changes, cursor: null, live: null });
  const item =
    resourceNamespace === null || resourceId === null ? null : `${resourceNamespace}/${resourceId}`;
  const tone = status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'plain';
  return html`<tr><td>${stamp(createdAt)}</td><td><a href="${only({ ip: clientIp })}">${clientIp}</a></td><th scope="row"><code>${method} ${path}${search === '' ? null : `?${search}`}</code>${requests > 1 ? html` <span class="muted">and ${number(requests - 1)} more</span>` : null}</th><td>${badge(String(status), tone)}</td><td class="end">${durationMs.toFixed(1)} ms</td><td class="console-text muted">${userAgent}</td><td>${item === null ? null : html`<a href="${only({ resource: item })}">${item}</a>`}</td></tr>
`;
}
