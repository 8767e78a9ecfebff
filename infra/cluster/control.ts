import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { errorCode } from '../../shared/error-code.ts';
import { messageOf } from '../../shared/message-of.ts';
import { type DistributedService, SERVICES, type ServiceCounts } from '../distributed.ts';

/** The commands of `npm run cluster -- …`. */
export type Command =
  | { do: 'run'; counts: ServiceCounts; isHa: boolean }
  | { do: 'status' }
  | { do: 'scale'; counts: Partial<ServiceCounts> };

/** Most processes of one service on one machine. */
const MAX_PROCESSES = 16;

const number = { type: 'string' } as const;
const OPTIONS = {
  gateway: number,
  content: number,
  kv: number,
  site: number,
  analytics: number,
  ha: { type: 'boolean', default: false },
} as const;

/** Reads the words behind the command. @throws Error that says what is wrong, and what is possible */
export function readCommand(words: string[]): Command {
  const { values, positionals } = parseArgs({ args: words, options: OPTIONS, allowPositionals: true });
  const counts: Partial<ServiceCounts> = {};
  for (const service of SERVICES) {
    const text = values[service];
    if (text !== undefined) counts[service] = count(service, text);
  }
  const [verb, ...others] = positionals;
  if (verb !== undefined && values.ha)
    throw new Error('--ha says how a cluster is started; one that runs stays as it is');
  const isNamed = Object.keys(counts).length > 0;
  if (verb === undefined) {
    const each = values.ha ? 2 : 1;
    const usual = { gateway: each, content: each, kv: each, site: each, analytics: each };
    return { do: 'run', counts: { ...usual, ...counts }, isHa: values.ha };
  }
  if (verb === 'status' && others.length === 0 && !isNamed) return { do: 'status' };
  if (verb === 'scale' && others.length === 0 && isNamed) return { do: 'scale', counts };
  throw new Error(
    `npm run cluster -- [--ha] [--content 2 …] starts it; "status" and "scale --content 3 …" speak to the one that runs; not "${words.join(' ')}"`,
  );
}

/** Counts as they come from another process. @throws Error for what is no such thing */
export function readCounts(value: unknown): Partial<ServiceCounts> {
  const counts: Partial<ServiceCounts> = {};
  for (const [name, wanted] of Object.entries(value ?? {})) {
    const service = SERVICES.find((known): known is DistributedService => known === name);
    if (service === undefined) throw new Error(`there is no service ${name}`);
    counts[service] = count(service, String(wanted));
  }
  return counts;
}

function count(service: string, text: string): number {
  const parsed = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (parsed >= 1 && parsed <= MAX_PROCESSES) return parsed;
  throw new Error(`--${service} wants a number from 1 to ${MAX_PROCESSES}, not ${text}`);
}

/** The commands that a running cluster accepts; each resolves to the text for the operator. */
interface Control {
  status(): Promise<string>;
  scale(counts: Partial<ServiceCounts>): Promise<string>;
}

const socketOf = (dir: string): string => join(dir, 'control.sock');

/** The codes of a connection attempt that nobody accepts. */
const NOBODY = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'];

/** Most characters of a socket's path on Linux (`sockaddr_un`). */
const MAX_PATH = 107;

/**
 * A process that leaves has all the time it wants. Bun ends what takes ten seconds otherwise: `server.timeout` has no
 * effect on such a socket, and its types know this option for ports only.
 */
const UNTIMED: object = { idleTimeout: 0 };

/** Lets other processes of this user reach the cluster whose data is in `dir`. */
export async function openControl(dir: string, control: Control): Promise<{ close(): Promise<void> }> {
  const unix = socketOf(dir);
  if (Buffer.byteLength(unix) > MAX_PATH) {
    throw new Error(`DATA_DIR is too long: ${unix} has more than ${MAX_PATH} characters`);
  }
  // The socket of a process that was killed.
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
    const code = errorCode(error) ?? String(error);
    if (NOBODY.includes(code)) {
      throw new Error(`no cluster runs with its data in ${dir}`, { cause: error });
    }
    const what = code === 'ECONNRESET' ? 'ended before it had answered' : `cannot be asked (${code})`;
    throw new Error(`the cluster with its data in ${dir} ${what}`, { cause: error });
  }
}
