import { createSecretFiles } from '../secret-files.ts';
import { parseServerList, type ServerList, schemeOf } from '../server-list.ts';

export type Environment = Record<string, string | undefined>;

export type SettingReader = ReturnType<typeof createSettingReader>;

const addressOf = (protocols: readonly string[]): string =>
  `an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;

const WHOLE_ADDRESS =
  'a valid host and port, with user and password percent-encoded: a # in a password is %23, a / is %2F, a % is %25';

/** An address like `postgres:///perch`, of a server at the usual place. */
const isWithoutHost = (text: string): boolean => URL.canParse(text) && new URL(text).host === '';

/** Values that may hold a password are never repeated in a message. The memory that a hash takes is none. */
const SECRET_NAMES = /SECRET|PASSWORD(?!_HASH_KB)|KEY|PG_URL|REDIS_URL|NATS_URL|SMTP_URL|ENDPOINT/;

/** Makes a reader of settings by their names, which notes in `issues` what is wrong with one, and goes on with the default. */
export function createSettingReader(env: Environment) {
  const issues: string[] = [];
  const issue = (name: string, got: string, wants: string): void => {
    issues.push(
      `${name} is ${SECRET_NAMES.test(name) && got !== '(nothing)' ? '(hidden)' : got}; it wants ${wants}`,
    );
  };
  const fromFile = createSecretFiles(env, issue);
  const text = (name: string): string | null => {
    const value = env[name]?.trim();
    const inFile = fromFile(name);
    return value === undefined || value === '' ? inFile : value;
  };
  const url = (name: string, protocols: string[]): string | null => {
    const value = text(name);
    if (value === null) return null;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
    issue(name, value, protocols.includes(schemeOf(value)) ? WHOLE_ADDRESS : addressOf(protocols));
    return null;
  };
  return {
    issues,
    issue,
    /** Notes an issue when a setting that another one needs is not there. One that is there and wrong has an issue already. */
    requireAlso(name: string, neededFor: string): void {
      if (text(name) === null) issue(name, '(nothing)', `a value, because ${neededFor} is set`);
    },
    text,
    url,
    /** An address of one or several servers; `issueOf` says what else one wants. */
    servers(
      name: string,
      protocols: string[],
      issueOf: (list: ServerList) => string | null = () => null,
    ): string | null {
      const value = text(name);
      if (value === null) return null;
      const list = parseServerList(value);
      const wanted = (): string | null => {
        if (!protocols.includes(schemeOf(value))) return addressOf(protocols);
        if (list !== null) return issueOf(list);
        return isWithoutHost(value) ? null : WHOLE_ADDRESS;
      };
      const wants = wanted();
      if (wants === null) return value;
      issue(name, value, wants);
      return null;
    },
    origin(name: string, protocols: string[]): string | null {
      const value = url(name, protocols);
      if (value === null) return null;
      const { origin, pathname, search, username } = new URL(value);
      if (pathname === '/' && search === '' && username === '') return origin;
      issue(name, value, 'scheme, host and port only, without a path');
      return null;
    },
    integer(name: string, fallback: number, min: number, max: number): number {
      const value = text(name);
      if (value === null) return fallback;
      const parsed = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      if (parsed >= min && parsed <= max) return parsed;
      issue(name, value, `a whole number from ${min} to ${max}`);
      return fallback;
    },
    flag(name: string, fallback: boolean): boolean {
      const value = text(name)?.toLowerCase();
      if (value === undefined) return fallback;
      if (value === 'true' || value === '1') return true;
      if (value === 'false' || value === '0') return false;
      issue(name, value, 'true or false');
      return fallback;
    },
    choice<T extends string>(name: string, choices: readonly T[], fallback: T): T {
      const value = text(name);
      if (value === null) return fallback;
      const found = choices.find((choice) => choice === value);
      if (found === undefined) issue(name, value, `one of ${choices.join(', ')}`);
      return found ?? fallback;
    },
    secret(name: string, minLength: number): string | null {
      const value = text(name);
      if (value !== null && value.length < minLength) issue(name, value, `at least ${minLength} characters`);
      return value;
    },
  };
}
