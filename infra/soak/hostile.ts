import {
  ATTACK_PROFILES,
  type Attack,
  type AttackProfile,
  launch,
  slowPages,
  slowReaders,
  slowSites,
  stalledForms,
} from './attacks.ts';
import {
  comparisonOf,
  failuresIn,
  letBystandersAct,
  type Published,
  publishForBystanders,
} from './bystanders.ts';
import { floodsAt, type HostileClient, startFlood } from './floods.ts';

/** Each holds as much as it can with requests that stall. */
const stallsFrom = (address: string, largePath: string): Attack[] => [
  slowReaders(address, 40, largePath),
  stalledForms(address, 200),
  slowPages(address, 20),
  slowSites(address, 20),
];

/** Starts so many hostile clients, each with an address of its own: every way of misbehaving once, then anew. */
export function startHostile(
  url: string,
  count: number,
  { pagePath, largePath }: Published,
): HostileClient[] {
  const floods = floodsAt(pagePath);
  return Array.from({ length: count }, (_, n) => {
    const address = `10.66.0.${n + 1}`;
    const starts = [
      ...stallsFrom(address, largePath).map((attack) => () => startStalling(url, attack)),
      ...floods.map((flood) => () => startFlood(url, flood, address)),
    ];
    const start = starts[n % starts.length];
    if (start === undefined) throw new RangeError('there is no way to misbehave');
    return start();
  });
}

/** Failures of the service. A connection that it gives up is as it should be. */
const isWrong = (status: number): boolean => status >= 500 && status !== 503;

function startStalling(url: string, attack: Attack): HostileClient {
  const { statuses, stop } = launch(url, attack);
  return {
    name: attack.name,
    statuses: () => new Map([...statuses].map(([status, count]) => [`${status}`, count])),
    wrong: () => [...statuses.keys()].filter(isWrong).map(String),
    stop: async () => stop(),
  };
}

/** Time for the attack to take hold before it is measured, in ms. */
const TAKE_HOLD_MS = 20_000;

/**
 * Nine clients publish and read for half of the time, then go on while one misbehaves. Returns whether none of them had
 * an error meanwhile; how long they took is printed and left to who reads it.
 */
export async function runAttack(url: string, profile: AttackProfile, minutes: number): Promise<boolean> {
  const published = await publishForBystanders(url);
  const seconds = minutes * 30;
  await letBystandersAct(url, published, 5);
  const before = await letBystandersAct(url, published, seconds);
  const attacks = ATTACK_PROFILES[profile](published.largePath);
  const running = attacks.map((attack) => launch(url, attack));
  try {
    await Bun.sleep(TAKE_HOLD_MS);
    const during = await letBystandersAct(url, published, seconds);
    process.stdout.write(comparisonOf(before, during));
    for (const [index, attack] of attacks.entries()) {
      const connections = running[index];
      if (connections === undefined) continue;
      const statuses = [...connections.statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
      process.stdout.write(
        `${attack.name}: ${connections.open()} connections open, ${connections.ended()} ended; answers: ${statuses || 'none'}\n`,
      );
    }
    return failuresIn(during).length === 0;
  } finally {
    for (const connections of running) connections.stop();
  }
}
