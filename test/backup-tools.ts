import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeBackup } from '../infra/backup/make-backup.ts';
import { checkBackup, restoreBackup } from '../infra/backup/restore-backup.ts';
import { explain } from '../infra/backup/run-tool.ts';
import { NO_SERVERS, ownEnvironment } from '../infra/environment.ts';
import { loadStoreSettings } from '../shared/config.ts';

const ROOT = resolve(import.meta.dirname, '..');

/** Settings of servers, which a test's tools must not inherit. */
const NONE = { ...NO_SERVERS, COOKIE_SECRET: undefined };

/** Options of both tools. */
const OPTIONS = {
  to: { type: 'string' },
  'without-log': { type: 'boolean' },
  from: { type: 'string' },
  check: { type: 'boolean' },
} as const;

export interface ToolRun {
  code: number;
  output: string;
  errors: string;
}

export interface RunningTool {
  pid: number;
  /** Resolves when a text was printed, or the tool has ended. */
  printed(text: string): Promise<void>;
  done: Promise<ToolRun>;
}

/** Starts `backup` or `restore` as an operator does, as a process of its own. */
export function startTool(
  tool: 'backup' | 'restore',
  env: Record<string, string | undefined>,
  ...args: string[]
): RunningTool {
  const child = Bun.spawn([process.execPath, join(ROOT, 'infra', 'backup', `${tool}.ts`), ...args], {
    cwd: ROOT,
    env: { ...ownEnvironment(), ...NONE, ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let output = '';
  let heard = (): void => undefined;
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stdout) {
      output += decoder.decode(chunk, { stream: true });
      heard();
    }
  })();
  const done = (async (): Promise<ToolRun> => {
    const errors = await new Response(child.stderr).text();
    const code = await child.exited;
    await reading;
    heard();
    return { code, output, errors };
  })();
  let ended = false;
  void done.finally(() => {
    ended = true;
    heard();
  });
  return {
    pid: child.pid,
    async printed(text) {
      while (!output.includes(text) && !ended) {
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
    done,
  };
}

/** Does what `startTool` does in this process: to start one takes longer than the work of most tests. */
export async function runTool(...[tool, env, ...args]: Parameters<typeof startTool>): Promise<ToolRun> {
  let output = '';
  const written = { isTTY: false, write: (text: string) => (output += text) };
  const settings = { ...ownEnvironment(), ...NONE, ...env };
  const { values } = parseArgs({ args, options: OPTIONS });
  const opened = new AsyncDisposableStack();
  try {
    if (tool === 'backup') {
      const options = { to: values.to ?? '', withLog: values['without-log'] !== true };
      await makeBackup(loadStoreSettings(settings), options, written, opened);
    } else if (values.check === true) await checkBackup(values.from ?? '', written);
    else await restoreBackup(loadStoreSettings(settings), values.from ?? '', written, opened);
    return { code: 0, output, errors: '' };
  } catch (error) {
    return { code: 1, output, errors: explain(error) };
  } finally {
    await opened.disposeAsync();
  }
}

/** A run that must succeed. Returns what was printed. */
export async function mustRun(...args: Parameters<typeof startTool>): Promise<string> {
  const { code, output, errors } = await runTool(...args);
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${errors}${output}`);
  return output;
}
