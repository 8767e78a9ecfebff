import { parseArgs } from 'node:util';
import { ConfigError } from '../../shared/config.ts';
import { PerchError } from '../../shared/perch-error.ts';

/** A table of any size is read or filled by one statement. */
export const STATEMENT_LIMIT_MS = 24 * 3_600_000;

/** Long enough for the embedded database to stop. */
const CLOSE_LIMIT_MS = 20_000;

/**
 * Runs a command line tool: does the work, releases what it opened, and exits with 0. A failure is explained on
 * standard error, and exits with 1. On a signal it releases what it opened and exits.
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
    exitAfterFlush(0);
  } catch (error) {
    // After a signal, work under way fails because its resources are closed.
    if (signalled) return;
    process.stderr.write(`${explain(error)}\n`);
    await close().catch(() => undefined);
    exitAfterFlush(1);
  }
}

/** Exits once standard output is flushed: a slow reader may still be reading it. */
function exitAfterFlush(code: number): void {
  process.stdout.write('', () => process.exit(code));
}

/** Turns an error into a message for the operator. */
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
    return exitWithUsage(usage);
  }
}

export function exitWithUsage(usage: string): never {
  process.stderr.write(usage);
  process.exit(2);
}

/** A reason to stop that says all there is to know: no stack trace belongs to it. */
export class ToolError extends Error {}
