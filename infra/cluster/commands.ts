import { parseArgs } from 'node:util';
import { type DistributedService, SERVICES, type ServiceCounts } from '../distributed.ts';

/** The commands of `npm run cluster -- …`. */
export type Command =
  | { do: 'run'; counts: ServiceCounts; isHa: boolean }
  | { do: 'status' }
  | { do: 'scale'; counts: Partial<ServiceCounts> };

/** Most processes of one service on one machine. */
const MOST = 16;

const number = { type: 'string' } as const;
const OPTIONS = {
  ...{ gateway: number, content: number, kv: number, site: number, analytics: number },
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
  if (parsed >= 1 && parsed <= MOST) return parsed;
  throw new Error(`--${service} wants a number from 1 to ${MOST}, not ${text}`);
}
