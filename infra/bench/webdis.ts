import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { commandPath } from '../servers/debian.ts';
import { freePort } from '../servers/port.ts';
import { createChildServer, type Server } from '../servers/server.ts';
import { tcpAnswer } from '../servers/tcp-answer.ts';

export interface Webdis extends Server {
  /** Without a slash at the end. */
  url: string;
}

/** webdis, an HTTP front of Redis, with one thread, on loopback. */
export async function startWebdis(dir: string, redisUrl: string): Promise<Webdis> {
  const port = await freePort();
  await mkdir(dir, { recursive: true });
  const configFile = join(dir, 'webdis.json');
  const settings = {
    redis_host: '127.0.0.1',
    redis_port: Number(new URL(redisUrl).port),
    http_host: '127.0.0.1',
    http_port: port,
    threads: 1,
    pool_size: 20,
    daemonize: false,
    verbosity: 0,
    logfile: join(dir, 'webdis.log'),
  };
  await writeFile(configFile, JSON.stringify(settings));
  const server = createChildServer({
    name: 'webdis',
    port,
    command: [commandPath('webdis'), configFile],
    workingDirectory: dir,
    logFile: join(dir, 'output.log'),
    isReady: async () => (await tcpAnswer(port, 'GET /PING HTTP/1.0\r\n\r\n')) !== null,
  });
  await server.start();
  return { ...server, url: `http://127.0.0.1:${port}` };
}
