import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { tcpAnswer } from './answers.ts';
import { commandPath, ensureCommands } from './debian.ts';
import { freePort } from './port.ts';
import { createChildServer, type Server } from './server.ts';

const CONFIG = join(import.meta.dirname, '../redis.conf');

interface RedisOptions {
  dir: string;
  port?: number;
  name?: string;
  /** A file in place of `infra/redis.conf`, which it includes. */
  config?: string;
  /** Settings besides, as on its command line: `['--cluster-enabled', 'yes']`. */
  settings?: string[];
}

/** Redis with `infra/redis.conf` on a loopback port, its append-only file in `dir`. */
export async function startRedis(options: RedisOptions): Promise<Server & { url: string }> {
  await ensureCommands(['redis-server', 'setpriv']);
  const { dir, port = await freePort(), name = 'Redis', config = CONFIG, settings = [] } = options;
  await mkdir(dir, { recursive: true });
  const server = createChildServer({
    name,
    port,
    command: [
      commandPath('redis-server'),
      config,
      ...['--bind', '127.0.0.1', '--port', String(port), '--dir', dir, '--daemonize', 'no'],
      ...settings,
    ],
    workingDirectory: dir,
    logFile: join(dir, 'server.log'),
    // While the append-only file is read back the answer is -LOADING.
    isReady: async () => (await tcpAnswer(port, 'PING\r\n'))?.startsWith('+PONG') ?? false,
  });
  await server.start();
  return { ...server, url: `redis://127.0.0.1:${port}` };
}
