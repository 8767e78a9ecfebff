import { type ServiceProcess, startService } from './service-process.ts';

export interface DistributedOptions {
  /** Where the logs go. */
  dir: string;
  /** Settings of every process, the servers' addresses included. */
  env: Record<string, string>;
  /** How many processes of each. */
  gateways: number;
  contents: number;
}

export interface Distributed {
  gateways: ServiceProcess[];
  contents: ServiceProcess[];
  /** Gateways first, so that what they have taken in is still served. */
  stop(): Promise<void>;
}

/** The services of the distributed mode as processes of their own, on servers that already run. */
export async function startServices(options: DistributedOptions): Promise<Distributed> {
  const { dir, env, gateways: gatewayCount, contents: contentCount } = options;
  const contents: ServiceProcess[] = [];
  const gateways: ServiceProcess[] = [];
  const stop = async (): Promise<void> => {
    for (const service of [...gateways, ...contents]) await service.stop();
  };
  try {
    for (let n = 1; n <= contentCount; n++) {
      contents.push(await startService('content', { dir, env, label: `content-${n}` }));
    }
    for (let n = 1; n <= gatewayCount; n++) {
      gateways.push(await startService('gateway', { dir, env, label: `gateway-${n}` }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { gateways, contents, stop };
}
