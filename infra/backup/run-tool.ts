import { parseArgs } from 'node:util';
import { ConfigError } from '../../shared/config.ts';
import { PerchError } from '../../shared/errors.ts';
import { ToolError } from './tool-error.ts';

/** A table of any size is read or filled by one statement. */
export const STATEMENT_LIMIT_MS = 24 * 3_600_000;

/** Long enough for the embedded database to stop. */
const CLOSE_LIMIT_MS = 20_000;

/**
 * The whole life of a tool: works, gives back what it has opened, and ends with 0. What it cannot do it says in plain
 * words on standard error, and ends with 1. On a signal it gives back what it has opened and ends.
 */
export async function runTool(work: (opened: AsyncDisposableStack) => Promise<void>): Promise<void> {
  const opened = new AsyncDisposableStack();
  let closing: Promise<unknown> | null = null;
  let signalled = false;
  const close = (): Promise<unknown> => {
    const limit = new Promise((resolve) => setTimeout(resolve, CLOSE_LIMIT_MS));
    closing ??= Promise.race([opened.disposeAsync(), limit]);
    return closing;
  };
  for (const [name, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    process.once(name, () => {
      signalled = true;
      const end = () => process.exit(code);
      close().then(end, end);
    });
  }
  try {
    await work(opened);
    await close();
    endWhenWritten(0);
  } catch (error) {
    // What was under way when the signal came fails for want of what it used.
    if (signalled) return;
    process.stderr.write(`${explain(error)}\n`);
    await close().catch(() => undefined);
    endWhenWritten(1);
  }
}

/** What was printed may still be on its way to a slow reader. */
function endWhenWritten(code: number): void {
  process.stdout.write('', () => process.exit(code));
}

/** What an operator reads of it. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ToolError || error instanceof ConfigError) return error.message;
  const because =
    error instanceof PerchError && error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return `${error.message}${because}`;
}

/** The command line's options. Ends with 2 and says how to use the tool when it has others than these. */
export function readArguments<T extends Record<string, { type: 'string' | 'boolean' }>>(
  usage: string,
  options: T,
): { [K in keyof T]?: T[K]['type'] extends 'string' ? string : boolean } {
  try {
    const { values } = parseArgs({ args: process.argv.slice(2), options });
    return values as { [K in keyof T]?: T[K]['type'] extends 'string' ? string : boolean };
  } catch {
    return endWith(usage);
  }
}

export function endWith(usage: string): never {
  process.stderr.write(usage);
  process.exit(2);
}
