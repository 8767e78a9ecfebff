import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';
import { COMPONENT_NAMES, FAULTS, type Fault, HA_COMPONENT_NAMES } from './components.ts';
import type { PlanOptions } from './plan.ts';

export interface RunOptions extends PlanOptions {
  quick: boolean;
  isHa: boolean;
  /** Where the report goes, besides standard output. */
  report: string | null;
}

export const USAGE = `npm run faults -- [--cycles n] [--only redis,kv,kv-redis] [--kinds ${FAULTS.join(',')}] [--seed n] [--quick] [--ha] [--report FILE]
  --cycles  so many for each fault of each component (1..1000; 1)
  --only    these of ${COMPONENT_NAMES.join(', ')} (all)
  --kinds   these faults (all); back: redis and postgres, on data of before; lost-second: redis, without its last second
  --seed    another one gives other moments and other traffic (1)
  --quick   shorter pauses
  --ha      servers of which any one may die: hits one of ${HA_COMPONENT_NAMES.join(', ')}
            and has the others take over before it comes back; kill and pause alone
  --report  write the table there, too
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
        quick: { type: 'boolean', default: false },
        ha: { type: 'boolean', default: false },
        report: { type: 'string' },
      },
    });
    return {
      cycles: wholeNumber(values.cycles, [1, 1_000]),
      only: readNames(values.only, values.ha),
      kinds: values.kinds.split(',').map(faultNamed),
      seed: wholeNumber(values.seed, [0, 2 ** 32 - 1]),
      quick: values.quick,
      isHa: values.ha,
      report: values.report ?? null,
    };
  } catch {
    return null;
  }
}

/** Of `--ha` all are its servers: the services are hit without it. */
function readNames(text: string, isHa: boolean): string[] {
  const known = isHa ? HA_COMPONENT_NAMES : COMPONENT_NAMES;
  const names = text.split(',').filter((name) => name !== '');
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
