import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { wholeNumber } from '../command-line.ts';
import { COMPONENT_NAMES, FAULTS, type Fault, HA_COMPONENT_NAMES } from './components.ts';
import type { PlanOptions } from './plan.ts';

export interface RunOptions extends Required<PlanOptions> {
  quick: boolean;
  isHa: boolean;
  /** How many times a cycle kills or pauses its part. */
  strikes: number;
  /** Clusters that share the cycles. */
  clusters: number;
  /** A file to which the cycles are added in which something was found. */
  keep: string | null;
  /** Where the report goes, besides standard output. */
  report: string | null;
}

/** Fewest and most cycles of each fault of each component. */
const CYCLES = [1, 1_000] as const;

export const USAGE = `npm run faults -- [--cycles n|kill=n,pause=n,…] [--only redis,kv,kv-redis] [--kinds ${FAULTS.join(',')}] [--seed n|new] [--repeat n,n] [--strikes n] [--clusters n] [--quick] [--ha] [--report FILE] [--keep FILE]
  --cycles  so many for each fault of each component (1..1000; 1), or so many for each of these faults, and one of the others
  --only    these of ${COMPONENT_NAMES.join(', ')} (all)
  --kinds   these faults (all); back: redis and postgres, on data of before; lost-second: redis, without its last second
  --seed    another one gives another order, other points of the load and other traffic (1); new: one of chance
  --repeat  the cycles with these numbers alone, out of the whole plan of the seed
  --strikes  a cycle kills or pauses its part so many times, and is audited once (1..20; 1)
  --clusters  so many at once, which share the cycles (1..4; 1)
  --quick   shorter pauses
  --ha      servers of which any one may die: hits one of ${HA_COMPONENT_NAMES.join(', ')}
            and has the others take over before it comes back; kill and pause alone
  --report  write the table there, too
  --keep    add the cycles in which something was found to a list, for test/faults/kept-cycles.test.ts
`;

/** Reads the command line; `null` when it is none that we know. */
export function readOptions(args: string[]): RunOptions | null {
  try {
    const { values } = parseArgs({
      args,
      options: {
        cycles: { type: 'string', default: '1' },
        only: { type: 'string', default: '' },
        kinds: { type: 'string', default: FAULTS.join(',') },
        seed: { type: 'string', default: '1' },
        repeat: { type: 'string', default: '' },
        strikes: { type: 'string', default: '1' },
        clusters: { type: 'string', default: '1' },
        quick: { type: 'boolean', default: false },
        ha: { type: 'boolean', default: false },
        report: { type: 'string' },
        keep: { type: 'string' },
      },
    });
    return {
      ...readCycles(values.cycles),
      only: readNames(values.only, values.ha),
      kinds: values.kinds.split(',').map(faultNamed),
      seed: values.seed === 'new' ? randomInt(2 ** 32) : wholeNumber(values.seed, [0, 2 ** 32 - 1]),
      repeat: listOf(values.repeat).map((number) => wholeNumber(number, [1, 1_000_000])),
      strikes: wholeNumber(values.strikes, [1, 20]),
      clusters: wholeNumber(values.clusters, [1, 4]),
      quick: values.quick,
      isHa: values.ha,
      report: values.report ?? null,
      keep: values.keep ?? null,
    };
  } catch {
    return null;
  }
}

const listOf = (text: string): string[] => text.split(',').filter((part) => part !== '');

/** @throws RangeError for a number out of bounds, or a fault that there is not */
function readCycles(text: string): Pick<Required<PlanOptions>, 'cycles' | 'cyclesOf'> {
  if (!text.includes('=')) return { cycles: wholeNumber(text, CYCLES), cyclesOf: {} };
  const counts = listOf(text).map((part) => {
    const [fault = '', count = ''] = part.split('=');
    return [faultNamed(fault), wholeNumber(count, CYCLES)] as const;
  });
  return { cycles: 1, cyclesOf: Object.fromEntries(counts) };
}

/**
 * The command that repeats a cycle: all that the plan depends on, and the number of the cycle. The writes and the place of
 * the fault are the same again; how processes interleave from the fault on is not.
 */
export function commandOf(options: RunOptions, cycle: number): string {
  const { cycles, cyclesOf, only, kinds, seed, strikes, quick, isHa } = options;
  const counts = Object.entries(cyclesOf).map(([fault, count]) => `${fault}=${count}`);
  const parts = [
    `--seed ${seed} --cycles ${counts.length === 0 ? cycles : counts.join(',')}`,
    ...(kinds.length === FAULTS.length ? [] : [`--kinds ${kinds.join(',')}`]),
    ...(only.length === 0 ? [] : [`--only ${only.join(',')}`]),
    ...(strikes === 1 ? [] : [`--strikes ${strikes}`]),
    ...(quick ? ['--quick'] : []),
    ...(isHa ? ['--ha'] : []),
    `--repeat ${cycle}`,
  ];
  return `npm run faults -- ${parts.join(' ')}`;
}

/** Reads names of components. With `--ha` all are its servers: the services are hit without it. */
function readNames(text: string, isHa: boolean): string[] {
  const known = isHa ? HA_COMPONENT_NAMES : COMPONENT_NAMES;
  const names = listOf(text);
  return names.length === 0 && isHa ? [...known] : names.map((name) => componentNamed(name, known));
}

function componentNamed(name: string, known: readonly string[]): string {
  if (known.includes(name)) return name;
  throw new RangeError(`${name} is no component`);
}

function faultNamed(name: string): Fault {
  const fault = FAULTS.find((one) => one === name);
  if (fault === undefined) throw new RangeError(`${name} is no fault`);
  return fault;
}
