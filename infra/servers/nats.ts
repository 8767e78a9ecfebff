import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandPath, ensureCommands } from './debian.ts';
import { freePort } from './port.ts';
import { createChildServer, type Server } from './server.ts';
import { tcpAnswer } from './tcp-answer.ts';

const CONFIG = join(import.meta.dirname, '../nats.conf');
const CONFIG_WITH_USERS = join(import.meta.dirname, '../nats-users.conf');

/**
 * NATS with JetStream and `infra/nats.conf` on a loopback port, its streams in `dir`. With `passwords`, the variables that
 * `infra/nats-users.conf` reads, it has the users of that file and lets nobody else in.
 */
export async function startNats(options: {
  dir: string;
  port?: number;
  passwords?: Record<string, string>;
}): Promise<Server & { url: string }> {
  await ensureCommands(['nats-server', 'setpriv']);
  const { dir, port = await freePort(), passwords } = options;
  const config = passwords === undefined ? CONFIG : CONFIG_WITH_USERS;
  await mkdir(dir, { recursive: true });
  const server = createChildServer({
    name: 'NATS',
    port,
    command: [
      commandPath('nats-server'),
      ...['-c', config, '-a', '127.0.0.1', '-p', String(port), '-sd', dir],
    ],
    ...(passwords === undefined ? {} : { env: passwords }),
    workingDirectory: dir,
    logFile: join(dir, 'server.log'),
    // The server greets first; it accepts clients only once JetStream has read its streams back.
    isReady: async () => (await tcpAnswer(port, ''))?.startsWith('INFO') ?? false,
  });
  await server.start();
  return { ...server, url: `nats://127.0.0.1:${port}` };
}
