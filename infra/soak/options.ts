import { parseArgs } from 'node:util';
import { wholeNumber } from '../command-line.ts';
import { ATTACK_PROFILES, type AttackProfile } from './attacks.ts';

export interface SoakOptions {
  /** The profile of the traffic. */
  profile: 'mixed' | AttackProfile;
  minutes: number;
  /** Number of clients with mixed traffic, the hostile ones included. */
  clients: number;
  /** How many of the clients misbehave all the time. */
  hostile: number;
  /** Mean pause of a client between an answer and its next request, in ms. */
  pauseMs: number;
  /** Where the chart goes; `null`: nowhere. */
  chart: string | null;
  seed: number;
}

/** A process of Bun has at most 256 requests under way: with more clients some would wait in here. */
const RANGES = {
  minutes: [1, 1_440],
  clients: [1, 250],
  hostile: [0, 20],
  pause: [0, 60_000],
  seed: [0, 2 ** 32 - 1],
} as const;

/** Share of hostile clients, unless said otherwise. */
const HOSTILE_SHARE = 0.05;

export const USAGE = `npm run soak -- [--profile mixed|${Object.keys(ATTACK_PROFILES).join('|')}] [--minutes ${RANGES.minutes.join('..')}] [--clients ${RANGES.clients.join('..')}] [--hostile ${RANGES.hostile.join('..')}] [--pause ${RANGES.pause.join('..')}] [--chart FILE.svg] [--seed n]
  --profile  mixed traffic, or nine clients before and while another one misbehaves (mixed)
  --minutes  how long the traffic lasts (10)
  --clients  so many at once (200)
  --hostile  so many of them misbehave: slow readers and writers, floods, huge headers, dense markdown, ZIP bombs (one in 20)
  --pause    ms that a client waits before its next request, on average (250)
  --chart    where to put a chart of it
  --seed     another one gives other traffic (1)
`;

/** Reads the command line; `null` when it is none that we know. */
export function readOptions(args: string[]): SoakOptions | null {
  try {
    const { values } = parseArgs({
      args,
      options: {
        profile: { type: 'string', default: 'mixed' },
        minutes: { type: 'string', default: '10' },
        clients: { type: 'string', default: '200' },
        hostile: { type: 'string' },
        pause: { type: 'string', default: '250' },
        chart: { type: 'string' },
        seed: { type: 'string', default: '1' },
      },
    });
    const clients = wholeNumber(values.clients, RANGES.clients);
    return {
      profile: profileNamed(values.profile),
      minutes: wholeNumber(values.minutes, RANGES.minutes),
      clients,
      hostile:
        values.hostile === undefined
          ? Math.floor(clients * HOSTILE_SHARE)
          : wholeNumber(values.hostile, [RANGES.hostile[0], Math.min(RANGES.hostile[1], clients - 1)]),
      pauseMs: wholeNumber(values.pause, RANGES.pause),
      chart: values.chart ?? null,
      seed: wholeNumber(values.seed, RANGES.seed),
    };
  } catch {
    return null;
  }
}

/** @throws RangeError for one that there is not */
function profileNamed(name: string): SoakOptions['profile'] {
  if (name === 'mixed' || name === 'slow-loris' || name === 'slow-reader') return name;
  throw new RangeError(`${name} is no profile`);
}
