import type { Kind } from '../../../../shared/items/item.ts';
import { formatSize, instantTag } from '../../../../shared/pages/format.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { page } from '../../pages/page.ts';
import type { KindStats, Stats } from './serializer.ts';

const KIND_NAMES: Record<Kind, string> = {
  html: 'Pages',
  json: 'JSON documents',
  kv: 'Key-value stores',
  file: 'Files',
  site: 'Sites',
};

const DESCRIPTION = 'How much has been published here, read and deleted.';

/**
 * The statistics for people. `stats.js` keeps them fresh: each number stands in an element whose `data-figure` is its
 * field in `/api/stats`, below one whose `data-kind` is its kind in the breakdown.
 */
export function statsPage(stats: Stats, baseUrl: string): string {
  const body = html`<article id="stats">
<h1>Statistics</h1>
<p class="lead">Totals stay when items expire, which counts as deleted. Days are those of <span id="stats-zone">UTC</span>.</p>
<dl class="stats-grid">
${card('Published', stats, 'totalCreated', 'createdToday')}
${card('Views', stats, 'totalViews', 'viewsToday')}
${card('Deleted', stats, 'totalDeleted', 'deletedToday')}
<div><dt>There now</dt><dd class="stats-figure">${figure(stats, 'activeItems')}</dd><dd>${sizeFigure('storedBytes', stats.storedBytes)} stored</dd></div>
</dl>
<h2 id="kinds">By kind</h2>
${table(stats.breakdown)}
<p class="hint">As of <span id="stats-time">${instantTag(new Date(stats.timestamp))}</span>. Programs read the same at <a href="/api/stats">/api/stats</a>.</p>
</article>`;
  return page({
    ...{ title: 'Statistics · Perch', description: DESCRIPTION, body, width: 'wide', scripts: ['stats.js'] },
    address: `${baseUrl}/stats`,
  });
}

type Total = 'totalCreated' | 'totalViews' | 'totalDeleted';
type Today = 'createdToday' | 'viewsToday' | 'deletedToday';

function card(label: string, stats: Stats, total: Total, today: Today): SafeHtml {
  return html`<div><dt>${label}</dt><dd class="stats-figure">${figure(stats, total)}</dd><dd>${figure(stats, today)} today</dd><dd>${figure(stats, `${total}Public`)}&nbsp;public, ${figure(stats, `${total}Private`)}&nbsp;private</dd></div>`;
}

/** A field of what is given, by its own name. */
function figure<Name extends string>(from: Record<Name, number>, name: Name): SafeHtml {
  return html`<span data-figure="${name}">${from[name].toLocaleString('en')}</span>`;
}

const sizeFigure = (name: string, bytes: number): SafeHtml =>
  html`<span data-figure="${name}" data-size>${formatSize(bytes)}</span>`;

const COLUMNS = ['There now', 'Published', 'Today', 'Deleted', 'Views', 'Stored'] as const;

function table(breakdown: readonly KindStats[]): SafeHtml {
  return html`<div class="stats-table" tabindex="0" role="region" aria-labelledby="kinds"><table>
<thead><tr><th scope="col">Kind</th>${COLUMNS.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>
${breakdown.map(row)}</tbody>
</table></div>`;
}

function row(kind: KindStats): SafeHtml {
  const figures = (['active', 'total', 'today', 'deleted', 'views'] as const).map(
    (name) => html`<td>${figure(kind, name)}</td>`,
  );
  return html`<tr data-kind="${kind.type}"><th scope="row">${KIND_NAMES[kind.type]}</th>${figures}<td>${sizeFigure('bytes', kind.bytes)}</td></tr>
`;
}
