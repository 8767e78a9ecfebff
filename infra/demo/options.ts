import { parseArgs } from 'node:util';
import { wholeNumber } from '../command-line.ts';

export interface DemoOptions {
  /** Address of the Perch to fill, without a slash at the end. */
  url: string;
  items: number;
  /** How long the traffic lasts. */
  seconds: number;
  seed: number;
}

const RANGES = { items: [5, 2_000], seconds: [0, 3_600], seed: [0, 2 ** 32 - 1] } as const;

export const USAGE = `npm run demo -- [--url http://localhost:8080] [--items ${RANGES.items.join('..')}] [--seconds ${RANGES.seconds.join('..')}] [--seed n]
  --url      the Perch to fill
  --items    how many items to publish (120)
  --seconds  how long people and programs use them (20)
  --seed     another one gives other content and other traffic (1)
`;

/** Reads the command line; `null` when it is none that we know. */
export function readOptions(args: string[]): DemoOptions | null {
  try {
    const { values } = parseArgs({
      args,
      options: {
        url: { type: 'string', default: 'http://localhost:8080' },
        items: { type: 'string', default: '120' },
        seconds: { type: 'string', default: '20' },
        seed: { type: 'string', default: '1' },
      },
    });
    const numbers = {
      items: wholeNumber(values.items, RANGES.items),
      seconds: wholeNumber(values.seconds, RANGES.seconds),
      seed: wholeNumber(values.seed, RANGES.seed),
    };
    const { protocol, origin } = new URL(values.url);
    if (!/^https?:$/.test(protocol)) return null;
    return { url: origin, ...numbers };
  } catch {
    return null;
  }
}
