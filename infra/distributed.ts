import { type ServiceName, type ServiceProcess, startService } from './service-process.ts';

/** The services of the distributed mode, in the order of their start: gateways last, when there is who to ask. */
export const SERVICES = ['content', 'kv', 'site', 'analytics', 'gateway'] as const satisfies ServiceName[];
export type DistributedService = (typeof SERVICES)[number];

const BEHIND_GATEWAYS = ['content', 'kv', 'site', 'analytics'] as const;

/** How many processes of each service. */
export type ServiceCounts = Record<DistributedService, number>;

export interface DistributedOptions {
  /** Where the logs go. */
  dir: string;
  /** Settings of every process, the servers' addresses included. */
  env: Record<string, string>;
  /** Settings of one service's processes, instead of those of all. */
  envOf?: Partial<Record<DistributedService, Record<string, string>>>;
  counts: ServiceCounts;
  /** The port of all gateways together (SHARED_PORT), and where they listen when that is not loopback. */
  gateways?: { sharedPort: number; host: string };
  /** Runs on each process once it is up; the result takes the process's place. */
  each?: (process: ServiceProcess) => ServiceProcess;
}

export interface Distributed {
  /** Oldest first. */
  processes: Record<DistributedService, ServiceProcess[]>;
  /** Starts one more of a service. */
  add(service: DistributedService): Promise<void>;
  /** Lets the newest one of a service leave: it finishes what it has taken. */
  remove(service: DistributedService): Promise<void>;
  /** Gateways first, so that what they have taken in is still served. */
  stop(): Promise<void>;
}

/** The services of the distributed mode as processes of their own, on servers that already run. */
export async function startServices(options: DistributedOptions): Promise<Distributed> {
  const { dir, counts, gateways, each = (process) => process } = options;
  const ofGateways = gateways === undefined ? {} : { SHARED_PORT: String(gateways.sharedPort) };
  const envOf = (service: DistributedService) => ({
    ...options.env,
    ...(service === 'gateway' ? ofGateways : {}),
    ...options.envOf?.[service],
  });
  const processes: Distributed['processes'] = {
    content: [],
    kv: [],
    site: [],
    analytics: [],
    gateway: [],
  };
  const start = async (service: DistributedService, n: number): Promise<ServiceProcess> => {
    const host = (service === 'gateway' && gateways?.host) || '127.0.0.1';
    const label = `${service}-${n}`;
    return each(await startService(service, { dir, env: envOf(service), label, host }));
  };
  /** Starts so many at once. All that started are noted, also when one did not: they are to be stopped. */
  const startAll = async (service: DistributedService): Promise<void> => {
    const numbers = Array.from({ length: counts[service] }, (_, index) => index + 1);
    const started = await Promise.allSettled(numbers.map((n) => start(service, n)));
    for (const result of started) if (result.status === 'fulfilled') processes[service].push(result.value);
    for (const result of started) if (result.status === 'rejected') throw result.reason;
  };
  const stopAll = async (services: readonly DistributedService[]): Promise<void> => {
    await Promise.all(
      services.flatMap((service) => processes[service].splice(0)).map((process) => process.stop()),
    );
  };
  const stop = async (): Promise<void> => {
    await stopAll(['gateway']);
    await stopAll(BEHIND_GATEWAYS);
  };
  try {
    const startings = await Promise.allSettled(BEHIND_GATEWAYS.map(startAll));
    for (const result of startings) if (result.status === 'rejected') throw result.reason;
    await startAll('gateway');
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    processes,
    async add(service) {
      processes[service].push(await start(service, processes[service].length + 1));
    },
    async remove(service) {
      await processes[service].pop()?.stop();
    },
    stop,
  };
}
