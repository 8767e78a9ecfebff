import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceCounts } from '../distributed.ts';
import { readCounts } from './commands.ts';

/** The commands that a running cluster accepts; each resolves to the text for the operator. */
export interface Control {
  status(): Promise<string>;
  scale(counts: Partial<ServiceCounts>): Promise<string>;
}

const socketOf = (dir: string): string => join(dir, 'control.sock');

/** The codes of a connection attempt that nobody accepts. */
const NOBODY = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'];

/** Most characters of a socket's path on Linux (`sockaddr_un`). */
const LONGEST_PATH = 107;

/**
 * A process that leaves has all the time it wants. Bun ends what takes ten seconds otherwise: `server.timeout` has no
 * effect on such a socket, and its types know this option for ports only.
 */
const UNTIMED: object = { idleTimeout: 0 };

/** Lets other processes of this user reach the cluster whose data is in `dir`. */
export async function openControl(dir: string, control: Control): Promise<{ close(): Promise<void> }> {
  const unix = socketOf(dir);
  if (Buffer.byteLength(unix) > LONGEST_PATH) {
    throw new Error(`DATA_DIR is too long: ${unix} has more than ${LONGEST_PATH} characters`);
  }
  // Of a process that was killed.
  await rm(unix, { force: true });
  const server = Bun.serve({
    unix,
    ...UNTIMED,
    async fetch(request) {
      try {
        const isScale = request.method === 'POST';
        return new Response(
          isScale ? await control.scale(readCounts(await request.json())) : await control.status(),
        );
      } catch (error) {
        return new Response(messageOf(error), { status: 400 });
      }
    },
  });
  await chmod(unix, 0o600);
  return {
    async close() {
      await server.stop(true);
      await rm(unix, { force: true });
    },
  };
}

/**
 * Asks the cluster whose data is in `dir`: with counts to have so many, without to say how it is.
 * @throws Error that says what is wrong, when none runs there or it cannot do it
 */
export async function askControl(dir: string, counts?: Partial<ServiceCounts>): Promise<string> {
  const request = counts === undefined ? {} : { method: 'POST', body: JSON.stringify(counts) };
  const { isOk, text } = await answerOf(dir, request);
  if (!isOk) throw new Error(text);
  return text;
}

async function answerOf(dir: string, request: RequestInit): Promise<{ isOk: boolean; text: string }> {
  try {
    // Processes that leave one after another may take longer than the five minutes that Bun waits by default.
    const response = await fetch('http://cluster/', { unix: socketOf(dir), timeout: false, ...request });
    return { isOk: response.ok, text: await response.text() };
  } catch (error) {
    const code = codeOf(error);
    if (NOBODY.includes(code)) {
      throw new Error(`no cluster runs with its data in ${dir}`, { cause: error });
    }
    const what = code === 'ECONNRESET' ? 'ended before it had answered' : `cannot be asked (${code})`;
    throw new Error(`the cluster with its data in ${dir} ${what}`, { cause: error });
  }
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
