import uPlot from 'uplot';
import { language } from '../texts/page-language.ts';

/** Numbers over time, drawn as bars, as a line, or as bars one upon another. */
export interface ChartData {
  readonly form: 'bars' | 'line' | 'stacked';
  /** When each span of time began, in ms since the epoch. */
  readonly times: readonly number[];
  readonly spanMs: number;
  /** Series from the bottom up, each with the number of its colour (`charts.css`). */
  readonly series: ReadonlyArray<{
    readonly label: string;
    readonly values: readonly number[];
    readonly colour: number;
  }>;
  /** Numbers as people read them. */
  format(value: number): string;
  /** Says in words what the chart shows, for those who do not see it. */
  readonly label: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Give the charts that are drawn other numbers, by their places. */
const updates = new WeakMap<HTMLElement, (data: ChartData) => void>();

/** Draws a chart that fills a place, instead of the one before, and anew when the place or the colours change. */
export function drawChart(place: HTMLElement, data: ChartData): void {
  const update = updates.get(place);
  if (update !== undefined) {
    update(data);
    return;
  }
  let shown = data;
  let plot: uPlot | null = null;
  place.setAttribute('role', 'img');
  const readout = document.createElement('p');
  readout.className = 'chart-readout';
  readout.hidden = true;

  const draw = (): void => {
    plot?.destroy();
    place.setAttribute('aria-label', shown.label);
    plot = new uPlot(optionsOf(place, shown, readout), alignedData(shown), place);
    place.append(readout);
  };
  draw();
  new ResizeObserver(() => {
    const { clientWidth: width, clientHeight: height } = place;
    if (plot !== null && width > 0 && width !== plot.width) plot.setSize({ width, height });
  }).observe(place);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  updates.set(place, (next) => {
    shown = next;
    draw();
  });
}

/** Bars one upon another are drawn as bars behind one another, the highest first. */
function alignedData({ times, series, form }: ChartData): uPlot.AlignedData {
  const seconds = times.map((at) => at / 1000);
  if (form !== 'stacked') return [seconds, ...series.map(({ values }) => [...values])];
  const below = times.map(() => 0);
  const sums = series.map(({ values }) =>
    values.map((value, n) => {
      below[n] = (below[n] ?? 0) + value;
      return below[n];
    }),
  );
  return [seconds, ...sums.toReversed()];
}

function optionsOf(place: HTMLElement, data: ChartData, readout: HTMLElement): uPlot.Options {
  const { form, series, spanMs, format } = data;
  const colourOf = createColours(place);
  const [text, grid] = [colourOf('--muted'), colourOf('--border')];
  const drawn = form === 'stacked' ? series.toReversed() : series;
  const axis = { stroke: text, font: '12px system-ui, sans-serif', grid: { stroke: grid, width: 1 } };
  const time = new Intl.DateTimeFormat(language.locale, {
    timeZone: 'UTC',
    month: 'short',
    day: 'numeric',
    ...(spanMs < DAY_MS && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  });
  const tick = new Intl.DateTimeFormat(
    language.locale,
    spanMs === HOUR_MS
      ? { timeZone: 'UTC', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
      : { timeZone: 'UTC', month: 'short', day: 'numeric' },
  );
  const span = spanMs / 1000;
  return {
    width: Math.max(place.clientWidth, 100),
    height: place.clientHeight,
    // At the right there is room for half the name of the last span.
    padding: [24, 20, 0, 0],
    legend: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    cursor: { y: false, points: { show: form === 'line' }, drag: { x: false, y: false } },
    scales: {
      // Half a span on both sides, for the halves of the outer bars.
      x: { time: true, range: (_, min, max) => [min - span * 0.6, max + span * 0.6] },
      y: { range: (_, __, max) => [0, Math.max(max * 1.08, 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        ticks: { show: false },
        space: 60,
        size: 26,
        values: (_, at) => at.map((seconds) => tick.format(seconds * 1000)),
      },
      {
        ...axis,
        ticks: { show: false },
        space: 32,
        incrs: form === 'line' ? BYTE_STEPS : WHOLE_STEPS,
        values: (_, values) => values.map(format),
        // As wide as the longest number, which is the topmost.
        size: (_, values) => 14 + 7 * Math.max(2, ...(values ?? []).map(({ length }) => length)),
      },
    ],
    series: [
      {},
      ...drawn.map(({ label, colour }) => {
        const own = colourOf(`--chart-${colour}`);
        return form === 'line'
          ? { label, stroke: own, width: 2, fill: faint(own), points: { show: false } }
          : {
              label,
              stroke: own,
              fill: own,
              width: 0,
              points: { show: false },
              ...(BARS && { paths: BARS }),
            };
      }),
    ],
    hooks: {
      setCursor: [
        ({ cursor: { idx } }) => {
          const at = typeof idx === 'number' ? data.times[idx] : undefined;
          readout.hidden = at === undefined;
          if (at === undefined || typeof idx !== 'number') return;
          const numbers = series
            .map(({ label, values }) => ({ label, value: values[idx] ?? 0 }))
            .filter(({ value }) => series.length === 1 || value > 0)
            .map(({ label, value }) => (series.length === 1 ? format(value) : `${label} ${format(value)}`));
          readout.textContent = [time.format(at), ...numbers].join(' · ');
        },
      ],
    },
  };
}

const BARS = uPlot.paths.bars?.({ size: [0.72, 48], radius: 0.15 });

/** Steps of an axis of counts; the next ones are for bytes, as people write them. */
const WHOLE_STEPS = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((one) => one * 10 ** power),
).flat();
const BYTE_STEPS = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** A canvas knows no custom properties: their colours are read from an element that has them. */
function createColours(place: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = document.createElement('i');
    probe.style.color = `var(${name})`;
    place.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}

/** An `rgb(…)` colour nearly transparent; any other form is returned as it is. */
const faint = (colour: string): string => colour.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.14)');
