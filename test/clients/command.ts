import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildCommand } from '../../clients/build.ts';
import { NO_SERVERS, ownEnvironment } from '../../infra/environment.ts';
import { oncePerRun } from '../started.ts';
import { clientInstance } from './instance.ts';

/** The command as it is published, in a folder that is removed after the run. */
const builtCommand = oncePerRun(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perch-command-'));
  await buildCommand(join(folder, 'dist'));
  return { file: join(folder, 'dist/perch.js'), stop: () => rm(folder, { recursive: true, force: true }) };
});

export interface Ran {
  code: number;
  out: string;
  err: string;
}

export interface RunOptions {
  stdin?: string;
  /** Bun when left out. */
  runtime?: string;
  env?: Record<string, string>;
  /** Words in front of the command. */
  before?: readonly string[];
}

/** Words in front of a command that is to obey the rights of files, as root does not; others need none. */
export const OBEYING_RIGHTS: readonly string[] =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

/** Somebody at a shell, with a working folder and a config folder of his own. */
export interface User extends AsyncDisposable {
  folder: string;
  configFolder: string;
  url: string;
  env: Record<string, string | undefined>;
  command(runtime?: string): Promise<string[]>;
  run(args: string[], options?: RunOptions): Promise<Ran>;
  /** Runs a command that has to succeed; what it printed, without the end of the line. */
  ok(args: string[], options?: RunOptions): Promise<string>;
  write(path: string, content: string | Uint8Array): Promise<void>;
}

/** @param server its address; the Perch of all test files when left out */
export async function newUser(server?: string): Promise<User> {
  const url = server ?? (await clientInstance()).url;
  const folder = await mkdtemp(join(tmpdir(), 'perch-user-'));
  const configFolder = join(folder, '.config');
  const tools = join(folder, '.bin');
  const env = {
    ...ownEnvironment(),
    ...NO_SERVERS,
    PERCH_URL: url,
    PERCH_TOKEN: undefined,
    XDG_CONFIG_HOME: configFolder,
    PATH: `${tools}${delimiter}${ownEnvironment().PATH ?? ''}`,
  };
  const command = async (runtime = process.execPath): Promise<string[]> => [
    runtime,
    (await builtCommand()).file,
  ];
  const run = async (args: string[], options: RunOptions = {}): Promise<Ran> => {
    const child = Bun.spawn([...(options.before ?? []), ...(await command(options.runtime)), ...args], {
      cwd: folder,
      env: { ...env, ...options.env },
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: 30_000,
      stdin: new Blob([options.stdin ?? '']),
    });
    const [out, err, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, out, err };
  };
  return {
    folder,
    configFolder,
    url,
    env,
    command,
    run,
    async ok(args, options) {
      const { code, out, err } = await run(args, options);
      if (code !== 0) throw new Error(`perch ${args.join(' ')} ended with ${code}: ${err}`);
      return out.trimEnd();
    },
    async write(path, content) {
      await Bun.write(join(folder, path), content);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export const readText = async (url: string): Promise<string> => (await fetch(url)).text();
