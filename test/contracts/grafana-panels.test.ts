import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres, { type ColumnList, type Sql } from 'postgres';
import { type Instance, startInstance } from '../instance.ts';
import { START_LIMIT_MS } from '../servers.ts';
import {
  alerts,
  content,
  expandMacros,
  GRAFANA,
  intervalMs,
  operations,
  type Panel,
  type Target,
} from './grafana-dashboards.ts';
import { EXPECTED, fillDatabase, READS_PER_MINUTE } from './grafana-traffic.ts';

setDefaultTimeout(60_000);

const HOUR_MS = 3_600_000;
/** The time ranges of a dashboard, and the distance of its points as Grafana would choose it, in ms. */
const RANGES = [
  { range: 'an hour', ms: HOUR_MS, interval: 5_000 },
  { range: 'six hours', ms: 6 * HOUR_MS, interval: 20_000 },
  { range: 'a day', ms: 24 * HOUR_MS, interval: 60_000 },
  { range: 'thirty days', ms: 720 * HOUR_MS, interval: HOUR_MS },
];

/** Columns of those panels that show no time series. */
const COLUMNS: Record<string, string[]> = {
  'Active items': ['items'],
  'Stored bytes': ['bytes'],
  Requests: ['requests'],
  'Failed requests': ['failed'],
  'Rate-limited requests': ['requests'],
  'Reports waiting': ['reports'],
  'Top items': ['kind', 'item', 'title', 'requests'],
  'View leaders': ['kind', 'item', 'title', 'views', 'expires'],
  'Top agents': ['agent', 'requests'],
  'Latest failures': ['time', 'status', 'method', 'path', 'duration', 'request'],
  'Reports waiting, oldest first': ['received', 'category', 'item', 'report'],
  'Items of all time by kind': ['kind', 'active', 'created', 'deleted', 'views', 'bytes'],
  'PostgreSQL connections': ['used'],
  'Size of the database': ['bytes'],
  'Age of the last backup': ['age'],
};

/** The dashboards' variables as they are at first: all kinds and namespaces. */
const ALL = Object.fromEntries(content.templating.list.map(({ name, current }) => [name, current.value]));

const isOfPostgres = ({ datasource }: Panel): boolean => datasource.type !== 'prometheus';
const ofPostgres = [...content.panels, ...operations.panels].filter(isOfPostgres);
const ofPrometheus = operations.panels.filter((panel) => !isOfPostgres(panel));

/** Panels that read the log itself over any range: by an index on few of its rows, or six hours at most. */
const FROM_LOG = ['Requests per second by kind', 'Publishes by kind', 'Latest failures'];

/** Types by their numbers (pg_type.dat). */
const NUMBERS = [20, 21, 23, 700, 701, 1700];
const TIMESTAMPTZ = 1184;
const TEXT = 25;

let folder = '';
let perch: Instance | null = null;
let grafana: Sql | null = null;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-panels-'));
  // Scans have metrics where something is looked for.
  const hosts = join(folder, 'hosts');
  await writeFile(hosts, 'phishing.example\n');
  const env = {
    LIMIT_READS_PER_MINUTE: String(READS_PER_MINUTE),
    TRUST_PROXY: '1',
    LINK_BLOCKLIST: hosts,
  };
  perch = await startInstance({ mode: 'distributed', ownServers: true, env });
  await fillDatabase(perch);
  const reader = readFileSync(join(GRAFANA, 'reader.sql'), 'utf8');
  // The second time is that of an upgrade.
  for (let times = 0; times < 2; times++) await asOwner((sql) => sql.unsafe(reader));
  const address = new URL(perch.env.PG_URL ?? '');
  address.username = 'perch_grafana';
  grafana = postgres(address.href, { max: 4, onnotice: () => undefined });
}, START_LIMIT_MS);

afterAll(async () => {
  await grafana?.end({ timeout: 1 });
  await perch?.stop();
  await rm(folder, { recursive: true, force: true });
}, START_LIMIT_MS);

const asReader = (): Sql => {
  if (grafana === null) throw new Error('the database is there only while tests run');
  return grafana;
};

type Row = Record<string, unknown>;

function sqlOf(
  { interval = '1s' }: Panel,
  { rawSql = '' }: Target,
  range: (typeof RANGES)[number],
  variables = ALL,
): string {
  const to = new Date();
  const from = new Date(to.getTime() - range.ms);
  const between = Math.max(range.interval, intervalMs(interval));
  return expandMacros(rawSql, { from, to, intervalMs: between, variables });
}

const panelOf = (title: string): Panel => {
  const panel = ofPostgres.find((one) => one.title === title);
  if (panel === undefined) throw new Error(`no panel is called ${title}`);
  return panel;
};

/** The rows of a panel's first query. */
async function ask(title: string, range = RANGES[0], variables = ALL): Promise<Row[]> {
  const panel = panelOf(title);
  const [target] = panel.targets;
  if (target === undefined || range === undefined) throw new Error('nothing to ask');
  return await asReader().unsafe<Row[]>(sqlOf(panel, target, range, variables));
}

/** Asks as the owner of the tables. */
async function asOwner<T>(ask: (sql: Sql) => Promise<T>): Promise<T> {
  const owner = postgres(perch?.env.PG_URL ?? '', { max: 1, onnotice: () => undefined });
  try {
    return await ask(owner);
  } finally {
    await owner.end();
  }
}

/**
 * Expects rows that Grafana can draw as series: sorted times, numbers, one text that names the series; no point twice.
 */
function expectSeries(rows: Row[], columns: ColumnList<string>): void {
  const [time, ...others] = columns;
  expect(time?.name).toBe('time');
  expect([...NUMBERS, TIMESTAMPTZ]).toContain(time?.type ?? 0);
  const names = others.filter(({ type }) => type === TEXT).map(({ name }) => name);
  expect([[], ['metric']]).toContainEqual(names);
  const values = others.filter(({ type }) => NUMBERS.includes(type)).map(({ name }) => name);
  expect([values.length > 0, values.length + names.length]).toEqual([true, others.length]);
  const times = rows.map((row) => (row.time instanceof Date ? row.time.getTime() : Number(row.time)));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const points = rows.map((row, n) => `${times[n]} ${row.metric}`);
  expect(new Set(points).size).toBe(points.length);
  for (const row of rows) for (const name of values) expect(Number(row[name])).toBeGreaterThanOrEqual(0);
}

describe.each(RANGES)('over $range', (range) => {
  test.concurrent.each(ofPostgres)('$title has data of the right columns', async (panel) => {
    for (const target of panel.targets) {
      const rows = await asReader().unsafe<Row[]>(sqlOf(panel, target, range));
      expect([panel.title, rows.length > 0]).toEqual([panel.title, true]);
      if (target.format === 'time_series') expectSeries(rows, rows.columns);
      else expect(rows.columns.map(({ name }) => name)).toEqual(COLUMNS[panel.title] ?? []);
    }
  });

  test.concurrent('the log and its roll-ups tell the same', async () => {
    const [limited] = await ask('Rate-limited requests', range);
    expect(limited).toEqual({ requests: String(EXPECTED.limited) });
    const [requests] = await ask('Requests', range);
    expect(requests).toEqual((await ask('Requests'))[0]);
    const sum = (rows: Row[], column: string) => rows.reduce((total, row) => total + Number(row[column]), 0);
    expect(sum(await ask('Publishes by kind', range), 'publishes')).toBe(EXPECTED.items);
    expect(sum(await ask('Errors by status', range), 'requests')).toBe(
      sum(await ask('Errors by status'), 'requests'),
    );
    const [failed] = await ask('Failed requests', range);
    expect(Number(failed?.failed)).toBeCloseTo(1 / Number(requests?.requests), 8);
  });
});

test('tables and figures tell what has happened', async () => {
  expect(await ask('Active items')).toEqual([{ items: String(EXPECTED.items) }]);
  expect(await ask('Reports waiting')).toEqual([{ reports: String(EXPECTED.reports) }]);
  const kinds = ['file', 'html', 'json', 'kv', 'site'];
  const leaders = await ask('View leaders');
  expect(leaders.map(({ kind, title }) => `${kind}: ${title}`).sort()).toEqual(
    kinds.map((kind) => `${kind}: A ${kind} item`),
  );
  const top = await ask('Top items');
  expect(top.filter(({ title }) => title !== null)).toHaveLength(EXPECTED.listed);
  expect(top.map(({ requests }) => Number(requests)).slice(0, 2)).toEqual([2, 1]);
  expect((await ask('Latest failures')).map(({ method, path, status }) => [method, path, status])).toEqual([
    ['POST', '/api/sites', 503],
  ]);
  expect((await ask('Reports waiting, oldest first')).map(({ category }) => category)).toEqual(['spam']);
  const totals = await ask('Items of all time by kind');
  expect(totals.map(({ kind, active }) => [kind, Number(active)])).toEqual(
    kinds.map((kind) => [kind, kind === 'html' ? 5 : 2]),
  );
});

test('a kind and a namespace that are chosen leave the others out', async () => {
  const [hour] = RANGES;
  const json = { kind: 'json', namespace: '%' };
  expect(await ask('Active items', hour, json)).toEqual([{ items: '2' }]);
  for (const title of ['View leaders', 'Items of all time by kind']) {
    const kinds = (await ask(title, hour, json)).map(({ kind }) => kind);
    expect([title, ...new Set(kinds)]).toEqual([title, 'json']);
  }
  expect(await ask('View leaders', hour, { kind: '%', namespace: "no'where" })).toEqual([]);
  expect((await ask('View leaders', hour, { kind: '%', namespace: 'pub%' })).length).toBeGreaterThan(0);
});

test('a backup tells its age', async () => {
  expect(await ask('Age of the last backup')).toEqual([{ age: null }]);
  await asOwner(
    (sql) =>
      sql`insert into backup_runs (finished_at, blob_bytes, with_log) values (now() - interval '1 day', 1, true)`,
  );
  const [last] = await ask('Age of the last backup');
  expect(Number(last?.age)).toBeGreaterThanOrEqual(86_400);
});

test('in the latencies an entry counts as often as the requests that share it', async () => {
  const points = await ask('Latency');
  const seconds = intervalMs(panelOf('Latency').interval ?? '') / 1_000;
  const expected = await asOwner(
    (sql) => sql<Row[]>`
      select floor(extract(epoch from created_at) / ${seconds}) * ${seconds} as time,
        percentile_disc(0.5) within group (order by duration_ms) / 1000 as p50,
        percentile_disc(0.95) within group (order by duration_ms) / 1000 as p95,
        percentile_disc(0.99) within group (order by duration_ms) / 1000 as p99
      from access_timings cross join generate_series(1, requests) group by 1 order by 1`,
  );
  expect(points.map(Object.values)).toEqual(expected.map(Object.values));
});

test('latencies of an hour and of thirty days are within their 5 % of each other', async () => {
  const [, , , thirtyDays] = RANGES;
  const hours = await ask('Latency', thirtyDays);
  expect(hours.length).toBeLessThanOrEqual(2);
  const points = await ask('Latency');
  const most = (rows: Row[]) => Math.max(...rows.map(({ p99 }) => Number(p99)));
  expect(most(hours)).toBeLessThanOrEqual(most(points) * 1.06);
});

test('over thirty days the log is read by those panels alone that find their rows by an index', async () => {
  const [, , , thirtyDays] = RANGES;
  if (thirtyDays === undefined) throw new Error('no such range');
  const reading = [];
  for (const panel of content.panels) {
    for (const target of panel.targets) {
      const plan = await asReader().unsafe(`explain ${sqlOf(panel, target, thirtyDays)}`);
      if (JSON.stringify(plan).includes(' on access_log')) reading.push(panel.title);
    }
  }
  expect(reading).toEqual(FROM_LOG);
});

test.each([
  'select owner_hash from items',
  'select password_hash from items',
  'select content from items',
  'select * from items',
  'select reporter_email from reports',
  'select description from reports',
  'select reported_url from reports',
  'select client_ip from access_log',
  'select query from access_log',
  'select client_ip from access_day_ips',
  'select value from kv_entries',
  'select receipt from create_receipts',
  'select key from blob_trash',
])('the role may not %s', async (statement) => {
  await expect(asReader().unsafe(statement).execute()).rejects.toMatchObject({ code: '42501' });
});

test('the role writes nothing, and none of its statements takes long', async () => {
  for (const statement of [
    'delete from reports',
    'insert into item_totals (quarter_hour, kind, public) values (now(), 1, true)',
    'create table mine ()',
  ]) {
    await expect(asReader().unsafe(statement).execute()).rejects.toMatchObject({ code: '25006' });
    const writing = `set transaction read write; ${statement}`;
    await expect(
      asReader()
        .begin((tx) => tx.unsafe(writing))
        .then(() => 'done'),
    ).rejects.toMatchObject({ code: '42501' });
  }
  expect(Array.from(await asReader()`show statement_timeout`)).toEqual([{ statement_timeout: '15s' }]);
});

/** The names of metrics and of labels in an expression of Prometheus. */
function namesIn(expression: string): { metrics: string[]; labels: string[] } {
  const grouping = /\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g;
  const labels = [
    ...[...expression.matchAll(grouping)].flatMap(([, list = '']) => list.split(',')),
    ...[...expression.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, name = '']) => name),
  ].map((name) => name.trim());
  const bare = expression.replace(grouping, '').replace(/\{[^}]*\}|\[[^\]]*\]/g, '');
  const metrics = [...bare.matchAll(/\b[a-z_]+\b(?!\s*\()/g)].map(([name]) => name);
  return { metrics: metrics.filter((name) => !['or', 'and', 'unless'].includes(name)), labels };
}

test('every metric and label that a panel or an alert of Prometheus names is in the metrics of the processes', async () => {
  const { gateways = [], contents = [], kvs = [], sites = [], analytics = [] } = perch?.services ?? {};
  const processes = [...gateways, ...contents, ...kvs, ...sites, ...analytics];
  expect(processes.length).toBe(5);
  const pages = await Promise.all(
    processes.map(async ({ url }) => await (await fetch(`${url}/metrics`)).text()),
  );
  const lines = pages.join('\n').split('\n');
  const metrics = new Set(lines.map((line) => /^[a-z_]+(?=[ {])/.exec(line)?.[0]));
  const labels = new Set(lines.flatMap((line) => [...line.matchAll(/[{,](\w+)="/g)].map(([, name]) => name)));
  // Prometheus adds these itself.
  metrics.add('up');
  for (const name of ['job', 'instance']) labels.add(name);
  const panels = ofPrometheus.flatMap(({ targets }) => targets.map(({ expr = '' }) => expr));
  for (const expression of [...panels, ...alerts.map(({ expr }) => expr)]) {
    const names = namesIn(expression);
    expect(names.metrics.length).toBeGreaterThan(0);
    for (const name of names.metrics) expect(metrics).toContain(name);
    for (const name of names.labels) expect(labels).toContain(name);
  }
});
