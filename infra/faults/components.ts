import { SERVICES } from '../distributed.ts';
import { send } from '../load/send.ts';
import type { HaServers } from '../servers/ha.ts';
import type { Server } from '../servers/server.ts';
import { keepEarlierData, noteLastSecond } from './earlier-data.ts';
import type { Link, LinkedServer } from './links.ts';

export const FAULTS = [
  'kill',
  'pause',
  'latency',
  'cut',
  'reset',
  'half-open',
  'busy',
  'back',
  'lost-second',
] as const;
export type Fault = (typeof FAULTS)[number];

const SERVERS = ['nats', 'redis', 'postgres', 's3'] as const satisfies LinkedServer[];

/** The possible targets: services, servers, and the links between them. Gateways have no link to PostgreSQL. */
export const COMPONENT_NAMES: readonly string[] = [
  ...SERVICES,
  ...SERVERS,
  'renderer',
  ...SERVICES.flatMap((service) => SERVERS.map((server) => `${service}-${server}`)).filter(
    (name) => name !== 'gateway-postgres',
  ),
];

/** The possible targets of `--ha`. */
export const HA_COMPONENT_NAMES: readonly string[] = [
  ...['postgres-primary', 'redis-primary', 'nats-leader'],
  ...Object.entries({ postgres: 2, etcd: 3, redis: 2, sentinel: 3, nats: 3 }).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, n) => `${name}-${n + 1}`),
  ),
];

/** A part of the cluster that can be hit. */
export interface Component {
  name: string;
  faults: readonly Fault[];
  /** How many processes it has: one of them is hit. 1 for a link. */
  members: number;
  /** Another one takes its place: all has to work again before it is mended. */
  isRedundant?: boolean;
  /** Breaks it. Resolves when it is broken, with what mends it. */
  strike(fault: Fault, member: number): Promise<Heal>;
}

/**
 * Resolves when the component itself is as before.
 * @param whenDown told when a server that goes back is down, and has taken with it what it had since its copy
 */
export type Heal = (whenDown?: () => void) => Promise<void>;

/** Longer than what a client of a server takes for slow, in ms. */
const LATENCY_MS = 500;
/** A crash may lose this much of the end of an append-only file that is synced `everysec`. */
const SECOND_MS = 1_000;

/** How a server can lose what it had. */
const LOSSES: Record<string, readonly Fault[]> = { redis: ['back', 'lost-second'], postgres: ['back'] };

/** A service or a server: killed with all its processes, or made to stand still. */
export function processComponent(name: string, processes: Server[]): Component {
  return {
    name,
    members: processes.length,
    faults: ['kill', 'pause', ...(LOSSES[name] ?? [])],
    async strike(fault, member) {
      const process = processes[member];
      if (process === undefined) throw new Error(`there is no ${name} number ${member + 1}`);
      if (fault === 'kill') {
        await process.kill();
        return () => process.start();
      }
      // Broken from now on is what it is told: it forgets that when it is mended.
      if (fault === 'back')
        return name === 'postgres' ? await copyCold(process) : await keepEarlierData(process, 'redis');
      if (fault === 'lost-second') {
        const lose = await noteLastSecond(process);
        await Bun.sleep(SECOND_MS);
        await process.kill();
        await lose();
        return () => process.start();
      }
      process.pause();
      return async () => process.resume();
    },
  };
}

/** Servers of a highly available cluster by name, and those that lead, whichever that is when they are hit. */
export function redundantComponents({ members, leaders, whole }: HaServers): Component[] {
  const component = (name: string, find: () => Promise<Server | undefined>): Component => ({
    name,
    members: 1,
    faults: ['kill', 'pause'],
    isRedundant: true,
    async strike(fault) {
      const server = await find();
      if (server === undefined) throw new Error(`there is no ${name}`);
      if (fault === 'kill') await server.kill();
      else server.pause();
      return async () => {
        if (fault === 'kill') await server.start();
        else server.resume();
        await whole();
      };
    },
  });
  const leader = (of: keyof Awaited<ReturnType<HaServers['leaders']>>, name: string): Component =>
    component(name, async () => members[(await leaders())[of]]);
  return [
    ...[
      leader('postgres', 'postgres-primary'),
      leader('redis', 'redis-primary'),
      leader('nats', 'nats-leader'),
    ],
    ...Object.entries(members).map(([name, server]) => component(name, async () => server)),
  ];
}

async function copyCold(postgres: Server): Promise<Heal> {
  await postgres.stop();
  const goBack = await keepEarlierData(postgres, 'postgres');
  await postgres.start();
  return goBack;
}

/** Markdown whose parser needs the square of its length: each page takes a renderer all the time that it may have. */
const SLOW_MARKDOWN = '**a* '.repeat(8_192);
/** Pages that keep the renderers of two processes for longer than any request waits. */
const SLOW_PAGES = 48;

/** The renderers of `content`: each has more to do than there is time for. */
export function rendererComponent(gateways: string[]): Component {
  return {
    name: 'renderer',
    faults: ['busy'],
    members: 1,
    async strike() {
      const publishing = Array.from({ length: SLOW_PAGES }, (_, n) =>
        send(`${gateways[n % gateways.length]}/api/html?ns=busy-renderer`, {
          method: 'POST',
          headers: { 'Content-Type': 'text/markdown' },
          body: SLOW_MARKDOWN,
        }),
      );
      return async () => {
        await Promise.all(publishing);
      };
    },
  };
}

/** The link between a service and a server, through a proxy. */
export function linkComponent({ service, server, proxy }: Link): Component {
  return {
    name: `${service}-${server}`,
    members: 1,
    faults: ['latency', 'cut', 'reset', 'half-open'],
    async strike(fault) {
      if (fault === 'latency') proxy.delay(LATENCY_MS);
      else if (fault === 'cut') await proxy.cut();
      else if (fault === 'reset') proxy.reset();
      else proxy.freeze();
      return () => proxy.heal();
    },
  };
}
