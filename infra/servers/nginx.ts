import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tcpAnswer } from './answers.ts';
import { commandPath } from './debian.ts';
import { createChildServer, type Server } from './server.ts';

interface NginxOptions {
  /** Holds its configuration, its logs and what it writes to the disk. Made when missing. */
  dir: string;
  /** A loopback port that `http` listens on. */
  port: number;
  /** The content of its `http` block. */
  http: string;
}

/** Starts nginx with one worker process, and all that it writes in a folder of its own. */
export async function startNginx({ dir, port, http }: NginxOptions): Promise<Server> {
  await mkdir(dir, { recursive: true });
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const config = `
daemon off;
worker_processes 1;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log warn;
events { worker_connections 1024; }
http {
${folders.map((name) => `  ${name}_temp_path ${dir}/${name};`).join('\n')}
${http}
}
`;
  const configFile = join(dir, 'nginx.conf');
  await writeFile(configFile, config);
  const server = createChildServer({
    name: 'nginx',
    port,
    command: [commandPath('nginx'), '-e', `${dir}/error.log`, '-p', dir, '-c', configFile],
    workingDirectory: dir,
    logFile: join(dir, 'output.log'),
    isReady: async () => (await tcpAnswer(port, 'GET / HTTP/1.0\r\n\r\n')) !== null,
  });
  await server.start();
  return server;
}
