import { HISTORY_RANGES, type HistoryRange } from '../../../../shared/contracts/stats.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import { formatSize } from '../../../../shared/pages/format-size.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import type { Texts } from '../../web/texts/texts.ts';
import type { History } from './history.ts';

/** Charts of the page, in their order (`web/browser/pages/stats.ts` draws them). */
const CHARTS = ['created', 'views', 'bytes', 'kinds'] as const;

/**
 * The figures over time: a table of the numbers, and places for charts, which a script fills from the table. Without a
 * script there is the table.
 */
export function historySection(history: History, texts: Texts): SafeHtml {
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
${table(history, texts)}</details>
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
function table({ spans, spanSeconds }: History, { stats: t, language }: Texts): SafeHtml {
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
