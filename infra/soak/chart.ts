/** A line of a chart: a value at each time, in the order of times. */
export interface Series {
  name: string;
  points: ReadonlyArray<readonly [seconds: number, value: number]>;
}

/** One diagram of a chart. */
export interface Panel {
  title: string;
  unit: string;
  series: readonly Series[];
}

const WIDTH = 860;
const MARGIN = { left: 64, right: 120, top: 34, bottom: 34 };
const HEIGHT = 200;
const PLOT_WIDTH = WIDTH - MARGIN.left - MARGIN.right;
const PLOT_HEIGHT = HEIGHT - MARGIN.top - MARGIN.bottom;
const LABEL_HEIGHT = 14;

/** Legible on white and on black alike. */
const COLOURS = [
  '#2f81f7',
  '#d4691b',
  '#2e9e4f',
  '#b44ac0',
  '#c9403a',
  '#12949c',
  '#8a7a1f',
  '#7d7f86',
  '#5f6bd8',
];

const STYLE = `text{font:12px system-ui,sans-serif;fill:#3d444d}.title{font-weight:600}.grid{stroke:#8b949e;stroke-opacity:.3}
.line{fill:none;stroke-width:1.6;stroke-linejoin:round}@media(prefers-color-scheme:dark){text{fill:#d1d7e0}}`;

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** A chart of panels one above the other over the same time, for a light and a dark page. */
export function renderChart(title: string, panels: readonly Panel[]): string {
  const end = Math.max(
    1,
    ...panels.flatMap(({ series }) => series.flatMap(({ points }) => points.map(([at]) => at))),
  );
  const drawn = panels.map((panel, index) => drawPanel(panel, end, index * HEIGHT));
  const height = panels.length * HEIGHT;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeText(title)}">
<title>${escapeText(title)}</title><style>${STYLE}</style>
${drawn.join('\n')}
</svg>
`;
}

function drawPanel({ title, unit, series }: Panel, end: number, top: number): string {
  const highest = Math.max(1, ...series.flatMap(({ points }) => points.map(([, value]) => value)));
  const step = niceStep(highest / 4);
  const most = Math.max(step, Math.ceil(highest / step) * step);
  const x = (seconds: number): number => MARGIN.left + (seconds / end) * PLOT_WIDTH;
  const y = (value: number): number => top + MARGIN.top + PLOT_HEIGHT * (1 - value / most);
  const parts = [
    `<text class="title" x="${MARGIN.left}" y="${top + 18}">${escapeText(`${title} (${unit})`)}</text>`,
  ];
  for (let value = 0; value <= most + step / 2; value += step) {
    parts.push(
      `<line class="grid" x1="${MARGIN.left}" x2="${MARGIN.left + PLOT_WIDTH}" y1="${round(y(value))}" y2="${round(y(value))}"/>`,
      `<text x="${MARGIN.left - 8}" y="${round(y(value) + 4)}" text-anchor="end">${round(value)}</text>`,
    );
  }
  const minutes = Math.max(1, Math.ceil(end / 60 / 10));
  for (let minute = 0; minute * 60 <= end + 1; minute += minutes) {
    parts.push(
      `<text x="${round(x(minute * 60))}" y="${top + HEIGHT - 16}" text-anchor="middle">${minute} min</text>`,
    );
  }
  const labels = spread(
    series.map(({ points }) => y(points.at(-1)?.[1] ?? 0)),
    y(0),
  );
  for (const [index, { name, points }] of series.entries()) {
    const colour = COLOURS[index % COLOURS.length] ?? '';
    const path = points
      .map(([at, value], n) => `${n === 0 ? 'M' : 'L'}${round(x(at))} ${round(y(value))}`)
      .join('');
    parts.push(
      `<path class="line" stroke="${colour}" d="${path}"/>`,
      `<text x="${MARGIN.left + PLOT_WIDTH + 8}" y="${round((labels[index] ?? 0) + 4)}" style="fill:${colour}">${escapeText(name)}</text>`,
    );
  }
  return parts.join('\n');
}

/** 1, 2 or 5 times a power of ten, not below a value. */
function niceStep(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-3)));
  return ([1, 2, 5].find((factor) => factor * power >= value) ?? 10) * power;
}

/** Heights of labels, moved as far as they would cover one another, or lie below the lowest place. */
function spread(heights: readonly number[], lowest: number): number[] {
  const placed = [...heights];
  const downwards = heights.map((_, index) => index).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  let next = Number.NEGATIVE_INFINITY;
  for (const index of downwards) {
    placed[index] = Math.max(placed[index] ?? 0, next);
    next = (placed[index] ?? 0) + LABEL_HEIGHT;
  }
  let most = lowest;
  for (const index of downwards.toReversed()) {
    placed[index] = Math.min(placed[index] ?? 0, most);
    most = (placed[index] ?? 0) - LABEL_HEIGHT;
  }
  return placed;
}

const round = (value: number): number => Math.round(value * 10) / 10;
