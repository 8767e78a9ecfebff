/** Keeps the numbers of the statistics page fresh while somebody looks at it, with days of the reader's time zone, and draws its charts. */
import { formatSize } from '../../../../../shared/wording/format-size.ts';
import { language, stats as texts } from '../../texts/page-language.ts';
import { type ChartData, drawChart } from '../chart.ts';
import { find, within } from '../elements.ts';

const EVERY_MS = 5_000;

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Numbers by their names in `/api/stats`. */
type Figures = Readonly<Record<string, unknown>>;

interface Stats extends Figures {
  readonly breakdown: ReadonlyArray<Figures & { readonly type: string }>;
  readonly timestamp: string;
}

function show(stats: Stats): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-figure]')) {
    const kind = place.closest('[data-kind]')?.getAttribute('data-kind');
    const figures = kind ? stats.breakdown.find(({ type }) => type === kind) : stats;
    const number = figures?.[place.dataset.figure ?? ''];
    if (typeof number !== 'number') continue;
    place.textContent =
      place.dataset.size === undefined
        ? number.toLocaleString(language.locale)
        : formatSize(number, language);
  }
  const zone = document.getElementById('stats-zone');
  if (zone) zone.textContent = timeZone;
  const time = document.createElement('time');
  time.dateTime = stats.timestamp;
  time.textContent = new Date(stats.timestamp).toLocaleTimeString(language.locale);
  document.getElementById('stats-time')?.replaceChildren(time);
}

async function refresh(): Promise<void> {
  if (document.hidden) return;
  try {
    const response = await fetch(`/api/stats?tz=${encodeURIComponent(timeZone)}`);
    if (response.ok) show((await response.json()) as Stats);
  } catch {
    // The service is away: the numbers stay as they are until it is back.
  }
}

async function keepFresh(): Promise<void> {
  await refresh();
  setTimeout(keepFresh, EVERY_MS);
}

document.addEventListener('visibilitychange', refresh);
void keepFresh();

/** The columns of the table that each chart shows, with the numbers of their colours. */
const COLUMNS: Readonly<Record<string, ReadonlyArray<readonly [column: number, colour: number]>>> = {
  created: [[1, 1]],
  views: [[3, 2]],
  bytes: [[4, 4]],
  kinds: [
    [5, 1],
    [6, 2],
    [7, 3],
    [8, 4],
    [9, 5],
  ],
};

const FORMS: Readonly<Record<string, ChartData['form']>> = { bytes: 'line', kinds: 'stacked' };

/** The numbers of a chart, as they stand in the table. */
function readTable(name: string, table: HTMLTableElement): ChartData {
  const columns = COLUMNS[name] ?? [];
  const rows = [...within(table, 'tbody', HTMLTableSectionElement).rows];
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  const series = columns.map(([column, colour]) => ({
    label: heads[column]?.textContent ?? '',
    values: rows.map(({ cells }) => Number(cells[column]?.dataset.value ?? 0)),
    colour,
  }));
  const format = (value: number): string =>
    name === 'bytes' ? formatSize(value, language) : value.toLocaleString(language.locale);
  const sums = rows.map((_, n) => series.reduce((sum, { values }) => sum + (values[n] ?? 0), 0));
  const caption = texts.charts[name as keyof typeof texts.charts];
  return {
    form: FORMS[name] ?? 'bars',
    series,
    format,
    times: rows.map(({ dataset }) => Date.parse(dataset.at ?? '')),
    spanMs: Number(table.dataset.span) * 1000,
    label: texts.chartLabel(caption, format(Math.max(0, ...sums))),
  };
}

const section = find('history', HTMLElement);

function drawAll(): void {
  const table = within(section, 'table', HTMLTableElement);
  for (const place of section.querySelectorAll<HTMLElement>('[data-chart]'))
    drawChart(place, readTable(place.dataset.chart ?? '', table));
}

const HISTORY_EVERY_MS = 60_000;

/** Takes the table and the sums out of the same page as it is now. */
async function refreshHistory(): Promise<void> {
  setTimeout(refreshHistory, HISTORY_EVERY_MS);
  if (document.hidden) return;
  try {
    const response = await fetch(`${location.pathname}${location.search}`, {
      headers: { Accept: 'text/html' },
    });
    if (!response.ok) return;
    const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
    const rows = fresh.querySelector('#history tbody');
    if (rows !== null)
      within(section, 'tbody', HTMLTableSectionElement).replaceWith(document.adoptNode(rows));
    for (const sum of section.querySelectorAll<HTMLElement>('[data-sum]'))
      sum.textContent = fresh.querySelector(`[data-sum=${sum.dataset.sum}]`)?.textContent ?? sum.textContent;
    drawAll();
  } catch {
    // The service is away: the charts stay as they are until it is back.
  }
}

drawAll();
setTimeout(refreshHistory, HISTORY_EVERY_MS);
