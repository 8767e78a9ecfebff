import { parseArgs } from 'node:util';
import { Perch } from 'perch-client';
import manifest from '../package.json' with { type: 'json' };
import { serverOf } from './address.ts';
import type { Settings } from './environment.ts';
import { CommandError } from './failures.ts';
import { Output } from './output.ts';
import { OwnerTokens } from './owner-tokens.ts';
import { withoutPassword } from './without-password.ts';

/** An option: with a value unless its `value` is left out. */
export interface Option {
  name: string;
  short?: string;
  /** Its value's name in the help. */
  value?: string;
  /** Whether it may be given several times. */
  many?: boolean;
  help: string;
}

export const VERSION: string = manifest.version;

export const COMMON_OPTIONS: readonly Option[] = [
  { name: 'url', value: 'URL', help: 'the server; else PERCH_URL, else http://localhost:8080' },
  { name: 'json', help: 'print the result, and errors, as JSON' },
  { name: 'quiet', short: 'q', help: 'print the result and errors only' },
  { name: 'help', short: 'h', help: 'this help' },
];

type Values = Record<string, string | boolean | Array<string | boolean> | undefined>;

/** One use of a command: its arguments, its options, and what it works with. */
export class Call {
  readonly args: string[];
  readonly output: Output;
  readonly settings: Settings;
  readonly tokens: OwnerTokens;
  readonly #values: Values;

  constructor(argv: string[], options: readonly Option[], settings: Settings) {
    const { values, positionals } = parse(argv, options);
    this.#values = values;
    this.args = positionals;
    checkPassword(this.text('password'));
    this.settings = settings;
    this.output = new Output({ json: this.has('json'), quiet: this.has('quiet') });
    const { token, configFolder } = settings;
    const given = token === null ? null : { token, server: this.perch().url };
    this.tokens = new OwnerTokens(configFolder, given);
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== false;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** The option's value, which is one of these words. */
  oneOf<T extends string>(name: string, words: readonly T[]): T | undefined {
    const given = this.text(name);
    const word = words.find((one) => one === given);
    if (given !== undefined && word === undefined)
      throw new CommandError(`--${name} is one of ${words.join(', ')}.`);
    return word;
  }

  texts(name: string): string[] | undefined {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : undefined;
  }

  /** Refuses more or fewer arguments than that. */
  expect(least: number, most: number, usage: string): void {
    if (this.args.length < least || this.args.length > most) throw new CommandError(`Usage: perch ${usage}`);
  }

  /** The server: of an address that is a URL its own, unless `--url` says otherwise. */
  perch(address?: string): Perch {
    const named = address === undefined ? null : serverOf(address);
    const url =
      this.text('url') ?? (named === null || isOn(named, this.settings.url) ? this.settings.url : named);
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new CommandError(
        `"${withoutPassword(url)}" is no address of a server. It is like https://perch.example.org.`,
      );
    return new Perch({ url, userAgent: `perch-cli/${VERSION}` });
  }

  /** The server, and this user's owner token there. */
  async owner(address?: string): Promise<{ perch: Perch; ownerToken: string | undefined }> {
    const perch = this.perch(address);
    return { perch, ownerToken: await this.tokens.read(perch.url) };
  }
}

/** Whether a server is one whose address may have a user and password besides, which the addresses of its items have not. */
const isOn = (server: string, known: string): boolean => {
  if (!URL.canParse(known)) return false;
  const { origin, pathname } = new URL(known);
  return pathname === '/' && server === `${origin}/`;
};

function parse(argv: string[], options: readonly Option[]): { values: Values; positionals: string[] } {
  const config = Object.fromEntries(
    [...options, ...COMMON_OPTIONS].map(({ name, short, value, many }) => [
      name,
      {
        type: value === undefined ? ('boolean' as const) : ('string' as const),
        multiple: many ?? false,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  try {
    return parseArgs({ args: argv, options: config, allowPositionals: true, strict: true });
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
}

/** @throws CommandError for one that no item has: an empty one would be none, and what it is meant for open to everybody */
function checkPassword(password: string | undefined): void {
  if (password === '')
    throw new CommandError(
      '--password is empty, as a variable that is not set would be. Leave it out for none.',
    );
  if (password !== undefined && (password !== password.trim() || /\p{Cc}/u.test(password)))
    throw new CommandError(
      '--password has white space at its ends, or a control character. No password has.',
    );
}

export interface Command {
  name: string;
  /** Its arguments. */
  usage: string;
  summary: string;
  options: readonly Option[];
  /** Words that may follow its name. */
  words?: readonly string[];
  /** Whether its arguments are files and folders, to complete them. */
  takesPaths?: boolean;
  run(call: Call): Promise<void>;
}

export const PASSWORD: Option = { name: 'password', value: 'TEXT', help: "the item's password" };
