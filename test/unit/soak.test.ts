import { expect, test } from 'bun:test';
import { renderChart } from '../../infra/soak/chart.ts';
import { readOptions } from '../../infra/soak/options.ts';
import { memoryFlatness, p99Flatness, type Sample } from '../../infra/soak/samples.ts';

/** Ten minutes of samples, five seconds apart, of a process with so many MB at a share of the time. */
const samplesOf = (mbAt: (share: number) => number): Sample[] =>
  Array.from({ length: 120 }, (_, n) => {
    const seconds = (n + 1) * 5;
    const process = { rssMb: 0, pssMb: mbAt(seconds / 600), lagMs: null, refusals: 0 };
    return {
      seconds,
      requestsPerSecond: 1,
      failuresPerSecond: 0,
      p99Ms: mbAt(seconds / 600),
      processes: { kv: process },
    };
  });

test('memory is flat up to the slack above its early median, and not beyond', () => {
  const until = (lateMb: number) =>
    memoryFlatness(
      'kv',
      samplesOf((share) => (share < 0.5 ? 100 : lateMb)),
    );
  expect(until(131)).toEqual({ early: 100, late: 131, isFlat: true });
  expect(until(131.5).isFlat).toBe(false);
  expect(until(50).isFlat).toBe(true);
});

test('what is high for a moment, or at the beginning alone, does not count', () => {
  const spikes = memoryFlatness(
    'kv',
    samplesOf((share) => (share < 0.3 || Math.abs(share - 0.95) < 0.01 ? 900 : 100)),
  );
  expect(spikes).toEqual({ early: 100, late: 100, isFlat: true });
});

test('the slowest of a hundred may take a quarter and 25 ms longer at the end, and no more', () => {
  const until = (lateMs: number) => p99Flatness(samplesOf((share) => (share < 0.5 ? 100 : lateMs))).isFlat;
  expect([until(150), until(150.5)]).toEqual([true, false]);
});

test('a chart has a line and a label for each series, and no label lies on another or below the axis', () => {
  const flat = (name: string) => ({
    name,
    points: [
      [0, 1],
      [60, 1],
    ] as const,
  });
  const names = ['one', 'two', 'three <&>'];
  const chart = renderChart('A "chart" of < and &', [
    { title: 'Lag', unit: 'ms', series: names.map(flat) },
    { title: 'None', unit: 'MB', series: [{ name: 'empty', points: [] }] },
  ]);
  expect(chart.match(/<path /g)).toHaveLength(4);
  expect(chart).toContain('three &lt;&amp;>');
  const heights = [...chart.matchAll(/y="([\d.]+)" style=/g)].map(([, y]) => Number(y)).slice(0, 3);
  const gaps = heights.toSorted((a, b) => a - b).map((y, n, all) => y - (all[n - 1] ?? 0));
  expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(14);
  expect(Math.max(...heights)).toBeLessThanOrEqual(170);
  expect(chart).not.toMatch(/NaN|Infinity|undefined/);
  expect(chart.slice(0, chart.indexOf('>'))).toContain('aria-label="A &quot;chart&quot; of &lt; and &amp;"');
});

test('options have defaults and limits', () => {
  const defaults = {
    profile: 'mixed' as const,
    minutes: 10,
    clients: 200,
    hostile: 10,
    pauseMs: 250,
    chart: null,
    seed: 1,
  };
  expect(readOptions([])).toEqual(defaults);
  expect(readOptions(['--clients', '250', '--minutes', '1', '--pause', '0', '--chart', 'a.svg'])).toEqual({
    ...defaults,
    clients: 250,
    hostile: 12,
    minutes: 1,
    pauseMs: 0,
    chart: 'a.svg',
  });
  expect(readOptions(['--profile', 'slow-reader'])).toMatchObject({ profile: 'slow-reader' });
  expect(readOptions(['--clients', '3', '--hostile', '2'])).toMatchObject({ clients: 3, hostile: 2 });
  expect(readOptions(['--clients', '3', '--hostile', '3'])).toBeNull();
  for (const [name, values] of Object.entries({
    hostile: ['-1', '21'],
    clients: ['0', '251'],
    minutes: ['0', '1441'],
    pause: ['-1', 'x'],
    profile: ['none', 'constructor'],
  }))
    for (const value of values) expect(readOptions([`--${name}`, value])).toBeNull();
  expect(readOptions(['--other'])).toBeNull();
});
