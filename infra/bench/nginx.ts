import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tcpAnswer } from '../servers/answers.ts';
import { commandPath } from '../servers/debian.ts';
import { freePort } from '../servers/port.ts';
import { createChildServer, type Server } from '../servers/server.ts';

/** Two addresses for the same files: one logs each request as Perch does, the other nothing. */
interface Ports {
  logging: number;
  silent: number;
}

const config = (dir: string, { logging, silent }: Ports): string => `
daemon off;
worker_processes 1;
pid ${dir}/nginx.pid;
error_log ${dir}/error.log warn;
events { worker_connections 1024; }
http {
  include /etc/nginx/mime.types;
  root ${dir}/files;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_timeout 60;
  keepalive_requests 1000000000;
  client_body_temp_path ${dir}/body;
  proxy_temp_path ${dir}/proxy;
  fastcgi_temp_path ${dir}/fastcgi;
  uwsgi_temp_path ${dir}/uwsgi;
  scgi_temp_path ${dir}/scgi;
  server { listen 127.0.0.1:${logging}; access_log ${dir}/access.log combined; }
  server { listen 127.0.0.1:${silent}; access_log off; }
}
`;

export interface Nginx extends Server {
  /** Without a slash at the end. */
  loggingUrl: string;
  silentUrl: string;
}

/** nginx with one worker process on loopback, serving `files` (name to content) from a folder below `dir`. */
export async function startNginx(dir: string, files: Record<string, Uint8Array>): Promise<Nginx> {
  const ports = { logging: await freePort(), silent: await freePort() };
  await mkdir(join(dir, 'files'), { recursive: true });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(dir, 'files', name), bytes);
  const configFile = join(dir, 'nginx.conf');
  await writeFile(configFile, config(dir, ports));
  const server = createChildServer({
    name: 'nginx',
    port: ports.logging,
    command: [commandPath('nginx'), '-e', `${dir}/error.log`, '-p', dir, '-c', configFile],
    workingDirectory: dir,
    logFile: join(dir, 'output.log'),
    isReady: async () => (await tcpAnswer(ports.silent, 'GET / HTTP/1.0\r\n\r\n')) !== null,
  });
  await server.start();
  return {
    ...server,
    loggingUrl: `http://127.0.0.1:${ports.logging}`,
    silentUrl: `http://127.0.0.1:${ports.silent}`,
  };
}
