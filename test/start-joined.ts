import { join } from 'node:path';
import { type Distributed, type DistributedOptions, startServices } from '../infra/distributed.ts';
import { type ServiceProcess, startService } from '../infra/service-process.ts';

const MAIN = join(import.meta.dirname, 'joined-services.ts');

/**
 * Starts a distributed Perch of few processes: gateways as asked for, and all services behind them together in as many
 * processes as the most frequent one was to have.
 */
export async function startJoined({
  dir,
  env,
  counts: { gateway, ...behind },
}: Pick<DistributedOptions, 'dir' | 'env' | 'counts'>): Promise<Pick<Distributed, 'processes' | 'stop'>> {
  const joined: ServiceProcess[] = [];
  const stopJoined = async (): Promise<void> => {
    await Promise.all(joined.map((process) => process.stop()));
  };
  try {
    const starting = Array.from({ length: Math.max(...Object.values(behind)) }, async (_, index) => {
      joined.push(await startService('content', { dir, env, label: `services-${index + 1}`, main: MAIN }));
    });
    for (const result of await Promise.allSettled(starting))
      if (result.status === 'rejected') throw result.reason;
    const counts = { gateway, content: 0, kv: 0, site: 0, analytics: 0 };
    const gateways = await startServices({ dir, env, counts });
    return {
      processes: { ...gateways.processes, content: joined, kv: joined, site: joined, analytics: joined },
      async stop() {
        await gateways.stop();
        await stopJoined();
      },
    };
  } catch (error) {
    await stopJoined();
    throw error;
  }
}
