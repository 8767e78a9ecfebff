import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

interface DataSource {
  type: string;
  uid: string;
}

export interface Target {
  refId: string;
  datasource: DataSource;
  /** Of PostgreSQL. */
  rawSql?: string;
  format?: 'table' | 'time_series';
  /** Of Prometheus. */
  expr?: string;
}

export interface Panel {
  id: number;
  type: string;
  title: string;
  description: string;
  datasource: DataSource;
  gridPos: { x: number; y: number; w: number; h: number };
  fieldConfig: { defaults: { unit: string; thresholds?: { steps: unknown[] } } };
  links?: Array<{ url: string }>;
  targets: Target[];
  /** The least distance of its points. */
  interval?: string;
}

/** A choice at the top of a dashboard. */
interface Variable {
  name: string;
  query: string;
  current: { value: string };
}

export interface Dashboard {
  uid: string;
  title: string;
  schemaVersion: number;
  panels: Panel[];
  links: Array<{ url: string }>;
  templating: { list: Variable[] };
}

export const GRAFANA = resolve(import.meta.dirname, '../../infra/grafana');

const readDashboard = (name: string): Dashboard =>
  JSON.parse(readFileSync(join(GRAFANA, 'dashboards', name), 'utf8')) as Dashboard;

/** From PostgreSQL, and from Prometheus. */
export const content = readDashboard('perch.json');
export const operations = readDashboard('operations.json');

/** A file of settings. */
export const readYaml = (...path: string[]): unknown =>
  Bun.YAML.parse(readFileSync(join(GRAFANA, ...path), 'utf8'));

interface Alert {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string };
}

/** The alerts of Prometheus. */
export const alerts = (readYaml('alerts.yml') as { groups: Array<{ rules: Alert[] }> }).groups.flatMap(
  ({ rules }) => rules,
);

/** The parameters of a panel's query: the dashboard's time range, and the distance of the points. */
interface PanelQuery {
  from: Date;
  to: Date;
  intervalMs: number;
  /** The dashboard's variables by their names. */
  variables?: Record<string, string>;
}

const UNITS_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof UNITS_MS;

/** An interval as Grafana writes and reads it: `30s`, `5m`. */
export function intervalMs(text: string): number {
  const [, count, unit] = /^'?(\d+)(ms|s|m|h|d)'?$/.exec(text) ?? [];
  if (count === undefined) throw new Error(`error parsing interval ${text}`);
  return Number(count) * UNITS_MS[unit as Unit];
}

function intervalText(ms: number): string {
  const unit = (['d', 'h', 'm', 's'] as const).find((name) => ms % UNITS_MS[name] === 0) ?? 'ms';
  return `${ms / UNITS_MS[unit]}${unit}`;
}

/**
 * The SQL that Grafana's PostgreSQL data source makes of a panel's (pkg/tsdb/grafana-postgresql-datasource, macros.go
 * and sqleng/sql_engine.go). As there an argument ends at the first closing bracket. @throws on an unknown macro
 */
export function expandMacros(sql: string, query: PanelQuery): string {
  const { from, to, intervalMs: interval, variables = {} } = query;
  return sql
    .replace(/\$\{(\w+):sqlstring\}/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`unknown variable ${name}`);
      return `'${value.replaceAll("'", "''")}'`;
    })
    .replaceAll('$__interval_ms', String(interval))
    .replaceAll('$__interval', intervalText(interval))
    .replaceAll('$__unixEpochFrom()', String(Math.floor(from.getTime() / 1_000)))
    .replaceAll('$__unixEpochTo()', String(Math.floor(to.getTime() / 1_000)))
    .replace(/\$([_a-zA-Z0-9]+)\(([^)]*)\)/g, (_, name: string, list: string) => {
      const [first = '', second = ''] = list.split(',').map((argument) => argument.trim());
      switch (name) {
        case '__timeFilter':
          return `${first} BETWEEN '${from.toISOString()}' AND '${to.toISOString()}'`;
        case '__timeFrom':
          return `'${from.toISOString()}'`;
        case '__timeTo':
          return `'${to.toISOString()}'`;
        case '__timeGroupAlias': {
          const seconds = intervalMs(second) / 1_000;
          return `floor(extract(epoch from ${first})/${seconds})*${seconds} AS "time"`;
        }
        default:
          throw new Error(`unknown macro ${name}`);
      }
    });
}
