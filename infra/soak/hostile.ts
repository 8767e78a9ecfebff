import { type Attack, launch, slowPages, slowReaders, slowSites, stalledForms } from './attacks.ts';
import type { Published } from './bystanders.ts';
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
