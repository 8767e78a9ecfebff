import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv, type SchemaObject } from 'ajv';
import specification from './compose-spec/compose-spec.json';

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

type Environment = Record<string, string | undefined>;

/** `$`, then a second one, a name, or a name in braces with what may follow it there. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*/;
const OPERATOR = /^(:?[-?+])/;

/**
 * A text with its variables put in, as the Compose Specification says (section 12, Interpolation): `$NAME`, `${NAME}`,
 * `${NAME:-default}`, `${NAME-default}`, `${NAME:+instead}`, `${NAME+instead}`, `${NAME:?error}`, `${NAME?error}`, one in
 * another, and `$$` for a dollar sign. With the colon an empty variable counts as none.
 *
 * @throws Error for what is none of these, and for a variable that must be there and is not
 */
export function interpolate(text: string, env: Environment): string {
  let result = '';
  let rest = text;
  for (let at = rest.indexOf('$'); at !== -1; at = rest.indexOf('$')) {
    result += rest.slice(0, at);
    const [value, length] = substitute(rest.slice(at + 1), env);
    result += value;
    rest = rest.slice(at + 1 + length);
  }
  return result + rest;
}

/** Replaces the expression after a dollar sign. Returns its value, and the length of the expression. */
function substitute(text: string, env: Environment): [value: string, length: number] {
  if (text.startsWith('$')) return ['$', 1];
  if (!text.startsWith('{')) {
    const [name] = NAME.exec(text) ?? [];
    if (name === undefined) throw new Error(`no variable's name after the dollar sign: $${text}`);
    return [env[name] ?? '', name.length];
  }
  const end = endOfBraces(text);
  const inner = text.slice(1, end);
  const [name] = NAME.exec(inner) ?? [];
  if (name === undefined) throw new Error(`no variable's name in the braces: $${text}`);
  return [withModifier(name, inner.slice(name.length), env), end + 1];
}

/** Where the braces that a text begins with end; those of variables within are passed over. */
function endOfBraces(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{' && (at === 0 || text[at - 1] === '$')) depth++;
    if (text[at] === '}') depth--;
    if (depth === 0) return at;
  }
  throw new Error(`braces without an end: $${text}`);
}

function withModifier(name: string, modifier: string, env: Environment): string {
  const value = env[name];
  if (modifier === '') return value ?? '';
  const [operator = ''] = OPERATOR.exec(modifier) ?? [];
  const argument = modifier.slice(operator.length);
  const isThere = operator.startsWith(':') ? (value ?? '') !== '' : value !== undefined;
  switch (operator.at(-1)) {
    case '-':
      return isThere ? (value ?? '') : interpolate(argument, env);
    case '+':
      return isThere ? interpolate(argument, env) : '';
    case '?':
      if (isThere) return value ?? '';
      throw new Error(`${name} is required: ${interpolate(argument, env)}`);
    default:
      throw new Error(`not known after a variable's name: ${modifier}`);
  }
}

/** The names of all variables that a text refers to. */
export function variablesIn(text: string): string[] {
  return Array.from(
    text.replaceAll('$$', '').matchAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*)/g),
    ([, name = '']) => name,
  );
}
