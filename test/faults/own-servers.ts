import type { Server } from '../../infra/servers/server.ts';
import { type Instance, type InstanceOptions, startInstance } from '../instance.ts';
import { oncePerRun } from '../started.ts';

/** A distributed Perch whose servers nobody else uses, with short intervals for what happens by itself. */
export const startOnOwnServers = (
  env: Record<string, string> = {},
  counts: Pick<InstanceOptions, 'gateways' | 'kvs' | 'dir'> = {},
): Promise<Instance> =>
  startInstance({
    ...counts,
    mode: 'distributed',
    ownServers: true,
    env: { BLOB_GRACE_SECONDS: '12', SWEEP_INTERVAL_SECONDS: '1', ...env },
  });

/** The one of files that take a server away and bring it back, and leave the rest as it is. */
export const sharedOnOwnServers = oncePerRun(() => startOnOwnServers({ BLOB_GRACE_SECONDS: '10' }));

/** One of an instance's own servers. */
export function serverOf({ servers }: Instance, name: 'postgres' | 'redis' | 'nats' | 's3'): Server {
  const server = servers?.[name] ?? null;
  if (server === null) throw new Error(`this instance has no ${name} of its own`);
  return server;
}

/**
 * The process numbers of the services: equal ones later prove that nothing had to be started again. Without the processes in which
 * `content` renders, which come and go.
 */
export const processesOf = ({ services }: Instance): number[] =>
  [...services.gateways, ...services.contents, ...services.kvs, ...services.sites].flatMap((service) =>
    service.processes().slice(0, 1),
  );
