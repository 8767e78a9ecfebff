import { type ServiceName, type ServiceProcess, startService } from './service-process.ts';

/** The services of the distributed mode, in the order of their start: gateways last, when there is who to ask. */
export const SERVICES = ['content', 'kv', 'site', 'analytics', 'gateway'] as const satisfies ServiceName[];
export type DistributedService = (typeof SERVICES)[number];

/** How many processes of each service. */
export type ServiceCounts = Record<DistributedService, number>;

export interface DistributedOptions {
  /** Where the logs go. */
  dir: string;
  /** Settings of every process, the servers' addresses included. */
  env: Record<string, string>;
  counts: ServiceCounts;
  /** The first gateway's address, when it is not any free port on loopback. */
  firstGateway?: { port: number; host: string };
}

export interface Distributed {
  processes: Record<DistributedService, ServiceProcess[]>;
  /** Gateways first, so that what they have taken in is still served. */
  stop(): Promise<void>;
}

/** The services of the distributed mode as processes of their own, on servers that already run. */
export async function startServices(options: DistributedOptions): Promise<Distributed> {
  const { dir, env, counts, firstGateway } = options;
  const processes: Distributed['processes'] = {
    ...{ content: [], kv: [], site: [], analytics: [], gateway: [] },
  };
  const stop = async (): Promise<void> => {
    for (const service of SERVICES.toReversed()) {
      for (const process of processes[service].splice(0).reverse()) await process.stop();
    }
  };
  try {
    for (const service of SERVICES) {
      for (let n = 1; n <= counts[service]; n++) {
        const own = service === 'gateway' && n === 1 ? firstGateway : {};
        processes[service].push(await startService(service, { dir, env, label: `${service}-${n}`, ...own }));
      }
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { processes, stop };
}
