import type { chartAccess } from '../../../../../shared/contracts/access-log.ts';
import type { ReplyOf } from '../../../../../shared/contracts/operation.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import type { Words } from './words.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Lengths of a bar, in ms. */
const BAR_MS = [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, 7 * DAY];

/** Most bars of one chart. */
const BARS = 62;

/** A span of time that whole bars fill. */
export interface ChartSpan {
  from: number;
  to: number;
  barMs: number;
}

/** The shortest bars of which few enough fill the time; the span begins and ends with one. */
export function chartSpan(from: number, to: number): ChartSpan {
  const barMs =
    BAR_MS.find((length) => (to - from) / length <= BARS - 2) ?? Math.ceil((to - from) / BARS / DAY) * DAY;
  const begin = Math.floor(from / barMs) * barMs;
  const bars = Math.max(1, Math.ceil((to - begin) / barMs));
  return { from: begin, to: begin + bars * barMs, barMs };
}

const WIDTH = 720;
const HEIGHT = 150;

type Bucket = ReplyOf<typeof chartAccess>['buckets'][number];

/**
 * Requests over time as bars, each a link to its own time; a script (`console.ts`) lets one drag over several. A table below
 * has the numbers.
 */
export function accessChart(
  { from, to, barMs }: ChartSpan,
  buckets: readonly Bucket[],
  hrefOf: (from: number, to: number) => string,
  words: Words,
): SafeHtml {
  const { chart: texts } = words.texts.access;
  const { number } = words;
  /** A moment as precise as its bar. */
  const timeOf = (at: number): string => (barMs < DAY ? words.minute(at) : words.day(at));
  const count = Math.round((to - from) / barMs);
  const max = Math.max(1, ...buckets.map(({ requests }) => requests));
  const step = WIDTH / count;
  const bar = ({ at, requests, refused, failed }: Bucket): SafeHtml => {
    const x = ((at - from) / barMs) * step;
    const part = (value: number, below: number, tone: string): SafeHtml | null =>
      value === 0
        ? null
        : html`<rect class="${tone}" x="${round(x + step * 0.08)}" width="${round(step * 0.84)}" y="${round(HEIGHT - ((below + value) / max) * HEIGHT)}" height="${round((value / max) * HEIGHT)}"/>`;
    const label = texts.bar(timeOf(at), requests, refused, failed);
    return html`<a href="${hrefOf(at, at + barMs)}" aria-label="${label}"><title>${label}</title><rect class="hit" x="${round(x)}" width="${round(step)}" y="0" height="${HEIGHT}"/>${part(failed, 0, 'failed')}${part(refused, failed, 'refused')}${part(requests - refused - failed, refused + failed, 'answered')}</a>
`;
  };
  return html`<figure class="console-chart" id="access-chart" data-from="${from}" data-to="${to}" data-bar="${barMs}">
<div class="console-plot"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="group" aria-label="${texts.label(number(max))}">
${buckets.map(bar)}</svg><span class="console-range" hidden></span></div>
<div class="console-axis" aria-hidden="true"><span>${timeOf(from)}</span><span>${timeOf(from + Math.floor(count / 2) * barMs)}</span><span>${timeOf(to)}</span></div>
<figcaption><span class="key answered">${texts.answered}</span> <span class="key refused">4xx</span> <span class="key failed">5xx</span> <span class="muted">${texts.hint(lengthOf(barMs, words))}</span></figcaption>
<details><summary>${texts.asTable}</summary><div class="console-table" tabindex="0" role="region" aria-label="${texts.table}"><table><thead><tr><th scope="col">${texts.from}</th><th scope="col">${texts.requests}</th><th scope="col">4xx</th><th scope="col">5xx</th></tr></thead><tbody>${buckets.map(({ at, requests, refused, failed }) => html`<tr><th scope="row">${words.stamp(at)}</th><td class="end">${number(requests)}</td><td class="end">${number(refused)}</td><td class="end">${number(failed)}</td></tr>`)}</tbody></table></div></details>
</figure>`;
}

const round = (value: number): number => Math.round(value * 100) / 100;

function lengthOf(ms: number, { texts: { lengths } }: Words): string {
  if (ms < HOUR) return lengths.minute(ms / MINUTE);
  return ms < DAY ? lengths.hour(ms / HOUR) : lengths.day(ms / DAY);
}
