import { instantTag } from '../../../../shared/pages/format.ts';
import { formatSize } from '../../../../shared/pages/format-size.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import type { Language } from '../../http/language.ts';
import { page } from '../../pages/page.ts';
import { type Texts, textsIn } from '../../web/texts/texts.ts';
import type { History } from './history.ts';
import { historySection } from './history-section.ts';
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
    ...{ title: `${frame.statistics} · Perch`, description: t.description, body, width: 'wide', language },
    ...{ script: 'stats', styles: ['charts.css'], current: '/stats', address: `${baseUrl}/stats` },
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
