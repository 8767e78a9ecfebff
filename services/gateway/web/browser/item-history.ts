import { language, owned as texts } from '../texts/page-language.ts';
import { type ChartData, drawChart } from './chart.ts';
import { type Notices, within } from './elements.ts';
import { type ItemStats, type OwnedItem, statsOf } from './owner-api.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Days that are shown: as many as the server tells unasked. */
const DAYS = 30;

/** Fills in an item's views over time when they are opened. */
export function offerHistory(
  element: HTMLElement,
  { item, token }: { readonly item: OwnedItem; readonly token: string },
  page: Notices,
): void {
  const details = within(element, '.owned-history', HTMLDetailsElement);
  details.addEventListener('toggle', async () => {
    if (!details.open) return;
    try {
      show(details, await statsOf(token, item));
    } catch (error) {
      details.open = false;
      page.fail(error);
    }
  });
}

function show(details: HTMLElement, stats: ItemStats): void {
  within(details, '.charts', HTMLElement).hidden = false;
  within(details, '.owned-readers', HTMLElement).hidden = false;
  const hours = stats.hours.map(({ at, views }) => ({ at: Date.parse(at), views }));
  const draw = (name: string, data: ChartData): void =>
    drawChart(within(details, `[data-chart=${name}]`, HTMLElement), data);
  draw('hours', chartOf(texts.lastHours, HOUR_MS, hours));
  draw('days', chartOf(texts.lastDays, DAY_MS, wholeMonth(stats.days)));
  within(details, '[data-sum=hours]', HTMLElement).textContent = number(sum(stats.hours));
  within(details, '[data-sum=days]', HTMLElement).textContent = number(sum(stats.days));
  showReaders(details, stats);
}

function chartOf(label: string, spanMs: number, spans: Array<{ at: number; views: number }>): ChartData {
  const values = spans.map(({ views }) => views);
  return {
    form: 'bars',
    spanMs,
    format: number,
    label: texts.chartLabel(label, number(Math.max(0, ...values))),
    times: spans.map(({ at }) => at),
    series: [{ label, values, colour: 1 }],
  };
}

/** The last days, those before the item was there included. */
function wholeMonth(days: ItemStats['days']): Array<{ at: number; views: number }> {
  const known = new Map(days.map(({ date, views }) => [Date.parse(date), views]));
  const last = Math.max(...known.keys());
  return Array.from({ length: DAYS }, (_, n) => {
    const at = last - (DAYS - 1 - n) * DAY_MS;
    return { at, views: known.get(at) ?? 0 };
  });
}

function showReaders(
  details: HTMLElement,
  { referers, otherReferers, withoutReferer, days }: ItemStats,
): void {
  const rows: Array<[name: string, views: number]> = referers.map(({ host, views }) => [host, views]);
  if (otherReferers > 0) rows.push([texts.otherHosts, otherReferers]);
  if (withoutReferer > 0 || rows.length === 0) rows.push([texts.noHost, withoutReferer]);
  const list = within(details, '.referers', HTMLUListElement);
  list.replaceChildren(
    ...rows.map(([name, views]) => {
      const row = document.createElement('li');
      const label = document.createElement('bdi');
      label.textContent = name;
      row.append(label, Object.assign(document.createElement('span'), { textContent: number(views) }));
      return row;
    }),
  );
  const body = within(details, 'tbody', HTMLTableSectionElement);
  body.replaceChildren(
    ...days.toReversed().map(({ date, views }) => {
      const row = document.createElement('tr');
      const day = document.createElement('th');
      day.scope = 'row';
      day.textContent = new Date(date).toLocaleDateString(language.locale, {
        timeZone: 'UTC',
        dateStyle: 'medium',
      });
      const count = document.createElement('td');
      count.textContent = number(views);
      row.append(day, count);
      return row;
    }),
  );
}

const number = (value: number): string => value.toLocaleString(language.locale);

const sum = (spans: ReadonlyArray<{ readonly views: number }>): number =>
  spans.reduce((total, { views }) => total + views, 0);
