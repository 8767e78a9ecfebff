import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  alerts,
  content,
  type Dashboard,
  GRAFANA,
  operations,
  type Panel,
  readYaml,
} from './grafana-dashboards.ts';

const dashboards: Dashboard[] = [content, operations];

const { datasources } = readYaml('provisioning', 'datasources', 'perch.yaml') as {
  datasources: Array<{ uid: string; type: string; url: string; user?: string; secureJsonData?: object }>;
};

test('there are no dashboards but these, under different uids and linked to each other', () => {
  expect(readdirSync(join(GRAFANA, 'dashboards')).sort()).toEqual(['operations.json', 'perch.json']);
  const [first, second] = dashboards.map(({ uid }) => uid);
  expect(first).not.toBe(second);
  expect(dashboards.map(({ links }) => links.map(({ url }) => url))).toEqual([
    [`/d/${second}`],
    [`/d/${first}`],
  ]);
});

test('addresses and passwords of the data sources come from the environment', () => {
  const text = readFileSync(join(GRAFANA, 'provisioning/datasources/perch.yaml'), 'utf8');
  const variables = [...text.matchAll(/\$(\w+)/g)].map(([, name]) => name);
  expect(variables).toEqual([
    ...['PERCH_PG_ADDRESS', 'PERCH_PG_USER', 'PERCH_PG_PASSWORD', 'PERCH_PG_DATABASE', 'PERCH_PG_SSLMODE'],
    'PERCH_PROMETHEUS_URL',
  ]);
  expect(datasources.map(({ type }) => type)).toEqual(['grafana-postgresql-datasource', 'prometheus']);
});

test('the provider reads dashboards from a folder', () => {
  expect(readYaml('provisioning', 'dashboards', 'perch.yaml')).toMatchObject({
    providers: [{ type: 'file', options: { path: '/etc/grafana/dashboards' } }],
  });
});

test('Prometheus finds the processes of every service', () => {
  const names = readdirSync(join(GRAFANA, '../../services')).filter((name) => name !== 'embedded');
  expect(readYaml('prometheus.yml')).toMatchObject({
    scrape_configs: [{ job_name: 'perch', dns_sd_configs: [{ names: expect.arrayContaining(names) }] }],
  });
});

test('Prometheus reads the alerts, each of which has a name of its own and a line that says what to do', () => {
  expect(readYaml('prometheus.yml')).toMatchObject({ rule_files: ['alerts.yml'] });
  const names = alerts.map(({ alert }) => alert);
  expect(names).toEqual([...new Set(names)]);
  const guide = readFileSync(join(GRAFANA, '../../docs/operations.md'), 'utf8');
  const lines = [...guide.matchAll(/^\| `([A-Z][a-z]\w+)` \|/gm)].map(([, name]) => name);
  expect(lines).toEqual(names);
});

test('alerts look at the metrics of Perch alone, for at once or for the next day', () => {
  expect(readYaml('prometheus.yml')).toMatchObject({ scrape_configs: [{ job_name: 'perch' }] });
  for (const { alert, expr, labels } of alerts) {
    const selectors = Array.from(
      expr.matchAll(/\b[a-z]+_[a-z_]+\b(?!\s*\()(\{[^}]*\})?|\bup\b(\{[^}]*\})?/g),
    );
    expect(selectors.length, alert).toBeGreaterThan(0);
    for (const [selector] of selectors) expect(selector).toContain('{job="perch"');
    expect(['page', 'ticket']).toContain(labels.severity);
  }
});

test('the guide says of every metric that an alert looks at what it means', () => {
  const guide = readFileSync(join(GRAFANA, '../../docs/operations.md'), 'utf8');
  const named = alerts.flatMap(({ expr }) => Array.from(expr.matchAll(/\b([a-z]+_[a-z_]+)\{/g)));
  const metrics = named.map(([, name = '']) => name.replace(/_bucket$/, ''));
  const missing = metrics.filter((name) => !new RegExp(`^(?:\\||Metrics).*\`${name}\\b`, 'm').test(guide));
  expect(missing).toEqual([]);
});

test('every query of Prometheus looks at the job of Perch alone', () => {
  for (const { title, targets } of dashboards.flatMap(({ panels }) => panels)) {
    for (const { expr = '' } of targets) {
      const metrics = expr.match(/\b(?:up|[a-z]+(?:_[a-z]+)+)\b(?=\{|\[|\s|$)/g) ?? [];
      const ofPerch = expr.match(/\{job="perch"[,}]/g) ?? [];
      expect([title, ofPerch.length]).toEqual([title, metrics.length]);
    }
  }
});

test('times are in seconds, shares in per cent, and links lead to panels that are there', () => {
  const places = dashboards.flatMap(({ uid, panels }) =>
    panels.map(({ id }) => `/d/${uid}?viewPanel=${id}&\${__url_time_range}`),
  );
  for (const { title, fieldConfig, links = [] } of dashboards.flatMap(({ panels }) => panels)) {
    expect([title, fieldConfig.defaults.unit]).not.toEqual([
      title,
      expect.stringMatching(/^(?:ms|percent)$/),
    ]);
    for (const { url } of links) expect(places).toContain(url);
  }
});

test('failures count by kind and method, so that reads which go on do not hide them; health checks do not count', () => {
  const expression = alerts.find(({ alert }) => alert === 'RequestsFail')?.expr ?? '';
  const sums = Array.from(expression.matchAll(/\bsum\b( by \(kind, method\))? \(rate\(\w+(\{[^}]*\})/g));
  expect(sums.map(([, grouping]) => grouping)).toEqual(Array(3).fill(' by (kind, method)'));
  for (const [, , selector] of sums) expect(selector).toContain('kind!="static"');
});

test('an alarm for messages that were given up ends, although they stay', () => {
  const expression = alerts.find(({ alert }) => alert === 'MessagesStuck')?.expr ?? '';
  expect(expression.match(/\w*\(?notifications_dead/g)).toEqual(['delta(notifications_dead']);
});

test('a disk and a Redis that fill are told of before they are full', () => {
  const severityOf = (metric: string) =>
    alerts.filter(({ expr }) => expr.includes(metric)).map(({ labels }) => labels.severity);
  expect([severityOf('disk_free_bytes'), severityOf('cache_memory_limit_bytes')]).toEqual([
    ['ticket'],
    ['ticket'],
  ]);
});

test('a client that sends more than its share calls nobody at night', () => {
  const severityOf = (queue: string) =>
    alerts.filter(({ expr }) => expr.includes(queue)).map(({ labels }) => labels.severity);
  // The queues that are shared by client; every other one is the operator's to mend.
  expect(severityOf('queue=~"requests|uploads|passwords|searches|changes|long-reads|watchers"')).toEqual([
    'ticket',
  ]);
  expect(severityOf('queue!~"requests|uploads|passwords|searches|changes|long-reads|watchers"')).toEqual([
    'page',
  ]);
});

describe.each(dashboards)('$title', ({ panels, schemaVersion }) => {
  test('panels have ids and titles of their own, a description, a unit and a data source that there is', () => {
    expect(schemaVersion).toBe(41);
    for (const values of [panels.map(({ id }) => String(id)), panels.map(({ title }) => title)])
      expect(values).toEqual([...new Set(values)]);
    const known = datasources.map(({ type, uid }) => ({ type, uid }));
    for (const { title, description, fieldConfig, datasource, targets } of panels) {
      expect([title, description.length > 60, fieldConfig.defaults.unit === '']).toEqual([
        title,
        true,
        false,
      ]);
      expect(known).toContainEqual(datasource);
      expect(targets.length).toBeGreaterThan(0);
      for (const target of targets) expect(target.datasource).toEqual(datasource);
      expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    }
  });

  test('no panel lies on another one or beyond the grid', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }: Panel) => {
      expect([x >= 0, y >= 0, w > 0, h > 0, x + w <= 24]).toEqual([true, true, true, true, true]);
      return Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
  });
});
