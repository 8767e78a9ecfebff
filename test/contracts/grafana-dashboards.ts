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
export interface Variable {
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
