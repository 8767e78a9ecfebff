import { HISTORY_RANGES, type HistoryRange } from '../../../../shared/contracts/stats.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { instantTag } from '../../../../shared/pages/format.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { formatSize } from '../../../../shared/wording/format-size.ts';
import type { Language } from '../../http/language.ts';
import { page } from '../../pages/page.ts';
import { type Texts, textsIn } from '../../web/texts/texts.ts';
import type { History } from './history.ts';
import type { KindStats, Stats } from './serializer.ts';

/**
 * The statistics for people. `web/browser/pages/stats.ts` keeps them fresh: each number stands in an element whose
 * `data-figure` is its field in `/api/stats`, below one whose `data-kind` is its kind in the breakdown.
 */
export function statsPage(
  stats: Stats,
  history: History,
  baseUrl: string,
  language: Language = 'en',
): string {
  const texts = textsIn(language);
  const { stats: t, frame } = texts;
  const body = html`<article id="stats">
<h1>${frame.statistics}</h1>
<p class="lead">${t.days.before}<span id="stats-zone">${t.days.zone}</span>${t.days.after}</p>
<dl class="stats-grid">
${card(t.published, stats, texts, 'totalCreated', 'createdToday')}
${card(t.views, stats, texts, 'totalViews', 'viewsToday')}
${card(t.deleted, stats, texts, 'totalDeleted', 'deletedToday')}
<div><dt>${t.live}</dt><dd class="stats-figure">${figure(stats, texts, 'activeItems')}</dd><dd>${sizeFigure('storedBytes', stats.storedBytes, texts)} ${t.stored}</dd></div>
</dl>
${historySection(history, texts)}
<h2 id="kinds">${t.byKind}</h2>
${table(stats.breakdown, texts)}
<p class="hint">${t.asOf} <span id="stats-time">${instantTag(new Date(stats.timestamp), texts.language)}</span>. ${t.programs.before}<a href="/api/stats">/api/stats</a>${t.programs.after}</p>
</article>`;
  return page({
    title: `${frame.statistics} · Perch`,
    description: t.description,
    body,
    width: 'wide',
    language,
    script: 'stats',
    styles: ['charts.css'],
    current: '/stats',
    address: `${baseUrl}/stats`,
  });
}

type Total = 'totalCreated' | 'totalViews' | 'totalDeleted';
type Today = 'createdToday' | 'viewsToday' | 'deletedToday';

function card(label: string, stats: Stats, texts: Texts, total: Total, today: Today): SafeHtml {
  const { stats: t } = texts;
  return html`<div><dt>${label}</dt><dd class="stats-figure">${figure(stats, texts, total)}</dd><dd>${figure(stats, texts, today)} ${t.today}</dd><dd>${figure(stats, texts, `${total}Public`)}&nbsp;${t.public}, ${figure(stats, texts, `${total}Private`)}&nbsp;${t.private}</dd></div>`;
}

/** A field of what is given, by its own name. */
function figure<Name extends string>(from: Record<Name, number>, { language }: Texts, name: Name): SafeHtml {
  return html`<span data-figure="${name}">${from[name].toLocaleString(language.locale)}</span>`;
}

const sizeFigure = (name: string, bytes: number, { language }: Texts): SafeHtml =>
  html`<span data-figure="${name}" data-size>${formatSize(bytes, language)}</span>`;

function table(breakdown: readonly KindStats[], texts: Texts): SafeHtml {
  const { stats: t } = texts;
  const columns = [t.live, t.published, t.todayColumn, t.deleted, t.views, t.storedColumn];
  return html`<div class="stats-table" tabindex="0" role="region" aria-labelledby="kinds"><table>
<thead><tr><th scope="col">${t.kind}</th>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${breakdown.map((kind) => row(kind, texts))}</tbody>
</table></div>`;
}

function row(kind: KindStats, texts: Texts): SafeHtml {
  const { stats: t } = texts;
  const cell = (label: string, value: SafeHtml): SafeHtml => html`<td data-label="${label}">${value}</td>`;
  return html`<tr data-kind="${kind.type}"><th scope="row">${t.kinds[kind.type]}</th>${cell(t.live, figure(kind, texts, 'active'))}${cell(t.published, figure(kind, texts, 'total'))}${cell(t.todayColumn, figure(kind, texts, 'today'))}${cell(t.deleted, figure(kind, texts, 'deleted'))}${cell(t.views, figure(kind, texts, 'views'))}${cell(t.storedColumn, sizeFigure('bytes', kind.bytes, texts))}</tr>
`;
}

/** Charts of the page, in their order (`web/browser/pages/stats.ts` draws them). */
const CHARTS = ['created', 'views', 'bytes', 'kinds'] as const;

/**
 * The figures over time: a table of the numbers, and places for charts, which a script fills from the table. Without a
 * script there is the table.
 */
function historySection(history: History, texts: Texts): SafeHtml {
  const { stats: t } = texts;
  const link = (range: HistoryRange): SafeHtml =>
    html`<li><a href="/stats?range=${range}#history"${range === history.range ? html` aria-current="true"` : null}>${t.ranges[range]}</a></li>`;
  return html`<section id="history" aria-labelledby="history-heading">
<div class="history-head"><h2 id="history-heading">${t.overTime}</h2>
<ul class="ranges" aria-label="${t.range}">${HISTORY_RANGES.map(link)}</ul></div>
<div class="charts">
${CHARTS.map((name) => chart(name, history, texts))}</div>
<details class="history"><summary id="history-numbers">${t.asTable}</summary>
<p class="hint">${t.spanHint}</p>
${historyTable(history, texts)}</details>
</section>`;
}

function chart(name: (typeof CHARTS)[number], { spans }: History, { stats: t, language }: Texts): SafeHtml {
  const sum = (figure: 'created' | 'views'): string =>
    spans.reduce((total, span) => total + span[figure], 0).toLocaleString(language.locale);
  const sums = {
    created: sum('created'),
    views: sum('views'),
    bytes: formatSize(spans.at(-1)?.bytes ?? 0, language),
    kinds: null,
  };
  const keys = name === 'kinds' ? html`<ul class="chart-keys">${KINDS.map(key)}</ul>` : null;
  function key(kind: (typeof KINDS)[number]): SafeHtml {
    return html`<li class="chart-key kind-${kind}">${t.kinds[kind]}</li>`;
  }
  return html`<figure class="chart"><figcaption><span>${t.charts[name]}</span>${sums[name] === null ? null : html` <strong data-sum="${name}">${sums[name]}</strong>`}</figcaption>
<div class="chart-place" data-chart="${name}"></div>${keys}</figure>
`;
}

/** Each number stands as it is in `data-value`, for the script that draws it. */
function historyTable({ spans, spanSeconds }: History, { stats: t, language }: Texts): SafeHtml {
  const columns = [
    t.from,
    t.published,
    t.deleted,
    t.views,
    t.storedColumn,
    ...KINDS.map((kind) => t.kinds[kind]),
  ];
  const cell = (value: number, text = value.toLocaleString(language.locale)): SafeHtml =>
    html`<td data-value="${value}">${text}</td>`;
  return html`<div class="history-table" tabindex="0" role="region" aria-labelledby="history-numbers"><table data-span="${spanSeconds}">
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${spans.map(
  ({ at, created, deleted, views, bytes, kinds }) =>
    html`<tr data-at="${at}"><th scope="row">${spanName(at, spanSeconds, language.locale)}</th>${cell(created)}${cell(deleted)}${cell(views)}${cell(bytes, formatSize(bytes, language))}${kinds.map((kind) => cell(kind.created))}</tr>\n`,
)}</tbody>
</table></div>`;
}

/** When a span began, in UTC, as precisely as its length needs. */
function spanName(at: string, spanSeconds: number, locale: string): string {
  const day = { timeZone: 'UTC', month: 'short', day: 'numeric' } as const;
  const time = { ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Date(at).toLocaleString(locale, spanSeconds < 86_400 ? time : day);
}
