import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv, type SchemaObject } from 'ajv';
import specification from './compose-spec/compose-spec.json';
import { interpolate } from './interpolation.ts';

/** The project's folder, which relative paths of the compose file start from. */
export const PROJECT = resolve(import.meta.dirname, '../..');
export const COMPOSE_TEXT = readFileSync(`${PROJECT}/docker-compose.yml`, 'utf8');
const PARSED = Bun.YAML.parse(COMPOSE_TEXT);

/** The fields that the tests look at; the schema has checked the rest. */
export interface ComposeService {
  image?: string;
  build?: { context: string; dockerfile: string };
  init?: boolean;
  user?: string;
  command?: string[];
  entrypoint?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  ports?: string[];
  volumes?: Array<string | { type: string; source?: string; target: string }>;
  tmpfs?: string[];
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { disable?: boolean; test?: string[]; start_period?: string; timeout?: string };
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  container_name?: string;
  profiles?: string[];
  stop_grace_period?: string;
  logging?: { driver: string; options: Record<string, string> };
  deploy?: { resources: { limits: { cpus: string; memory: string; pids: number } } };
}

export interface ComposeFile {
  name: string;
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
}

// Under the address that the schema gives its own schema, Ajv knows none.
const { $schema: _, ...schema } = specification as SchemaObject;
const isComposeFile = new Ajv({ strict: false, allErrors: true }).compile<ComposeFile>(schema);

/** Violations of the Compose Specification's schema. */
export function faultsOf(file: unknown): string[] {
  if (isComposeFile(file)) return [];
  return (isComposeFile.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/**
 * docker-compose.yml as Docker Compose would read it with these variables.
 * @throws Error when it is not as the Compose Specification says
 */
export function readComposeFile(env: Record<string, string> = {}): ComposeFile {
  const file = withVariables(PARSED, env);
  if (isComposeFile(file)) return file;
  throw new Error(faultsOf(file).join('\n'));
}

/** A service that must be there. */
export function serviceOf({ services }: ComposeFile, name: string): ComposeService {
  const service = services[name];
  if (service === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return service;
}

/** Values only: Compose leaves keys as they are. */
function withVariables(node: unknown, env: Record<string, string>): unknown {
  if (typeof node === 'string') return interpolate(node, env);
  if (Array.isArray(node)) return node.map((entry) => withVariables(entry, env));
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withVariables(value, env)]));
}
