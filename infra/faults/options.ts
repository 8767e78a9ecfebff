import { parseArgs } from 'node:util';
import { wholeNumber } from '../whole-number.ts';
import { COMPONENT_NAMES, FAULTS, type Fault } from './components.ts';
import type { PlanOptions } from './plan.ts';

export interface RunOptions extends PlanOptions {
  quick: boolean;
  /** Where the report goes, besides standard output. */
  report: string | null;
}

export const USAGE = `npm run faults -- [--cycles n] [--only redis,kv,kv-redis] [--kinds ${FAULTS.join(',')}] [--seed n] [--quick] [--report FILE]
  --cycles  so many for each fault of each component (1..1000; 1)
  --only    these of ${COMPONENT_NAMES.join(', ')} (all)
  --kinds   these faults (all); back: redis and postgres, on data of before; lost-second: redis, without its last second
  --seed    another one gives other moments and other traffic (1)
  --quick   shorter pauses
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
        report: { type: 'string' },
      },
    });
    return {
      cycles: wholeNumber(values.cycles, [1, 1_000]),
      only: values.only
        .split(',')
        .filter((name) => name !== '')
        .map(componentNamed),
      kinds: values.kinds.split(',').map(faultNamed),
      seed: wholeNumber(values.seed, [0, 2 ** 32 - 1]),
      quick: values.quick,
      report: values.report ?? null,
    };
  } catch {
    return null;
  }
}

function componentNamed(name: string): string {
  if (COMPONENT_NAMES.includes(name)) return name;
  throw new RangeError(`${name} is no component`);
}

function faultNamed(name: string): Fault {
  const fault = FAULTS.find((one) => one === name);
  if (fault === undefined) throw new RangeError(`${name} is no fault`);
  return fault;
}
