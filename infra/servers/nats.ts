import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { commandPath, ensureCommands } from './debian.ts';
import { freePort } from './port.ts';
import { createChildServer, type Server } from './server.ts';
import { tcpAnswer } from './tcp-answer.ts';

const CONFIG = join(import.meta.dirname, '../nats.conf');

/** NATS with JetStream and `infra/nats.conf` on a loopback port, its streams in `dir`. */
export async function startNats(options: { dir: string; port?: number }): Promise<Server & { url: string }> {
  await ensureCommands(['nats-server', 'setpriv']);
  const { dir, port = await freePort() } = options;
  await mkdir(dir, { recursive: true });
  const server = createChildServer({
    name: 'NATS',
    port,
    command: [
      commandPath('nats-server'),
      ...['-c', CONFIG, '-a', '127.0.0.1', '-p', String(port), '-sd', dir],
    ],
    workingDirectory: dir,
    logFile: join(dir, 'server.log'),
    // The server greets first; it accepts clients only once JetStream has read its streams back.
    isReady: async () => (await tcpAnswer(port, ''))?.startsWith('INFO') ?? false,
  });
  await server.start();
  return { ...server, url: `nats://127.0.0.1:${port}` };
}
