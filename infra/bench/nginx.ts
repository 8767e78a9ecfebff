import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startNginx } from '../servers/nginx.ts';
import { freePort } from '../servers/port.ts';
import type { Server } from '../servers/server.ts';

/** Two addresses for the same files: one logs each request as Perch does, the other nothing. */
interface Ports {
  logging: number;
  silent: number;
}

const config = (dir: string, { logging, silent }: Ports): string => `
  include /etc/nginx/mime.types;
  root ${dir}/files;
  sendfile on;
  tcp_nopush on;
  tcp_nodelay on;
  keepalive_timeout 60;
  keepalive_requests 1000000000;
  server { listen 127.0.0.1:${logging}; access_log ${dir}/access.log combined; }
  server { listen 127.0.0.1:${silent}; access_log off; }`;

export interface NginxOfFiles extends Server {
  /** Without a slash at the end. */
  loggingUrl: string;
  silentUrl: string;
}

/** nginx with one worker process on loopback, serving `files` (name to content) from a folder below `dir`. */
export async function startNginxOfFiles(
  dir: string,
  files: Record<string, Uint8Array>,
): Promise<NginxOfFiles> {
  const ports = { logging: await freePort(), silent: await freePort() };
  await mkdir(join(dir, 'files'), { recursive: true });
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(dir, 'files', name), bytes);
  const server = await startNginx({ dir, port: ports.silent, http: config(dir, ports) });
  return {
    ...server,
    loggingUrl: `http://127.0.0.1:${ports.logging}`,
    silentUrl: `http://127.0.0.1:${ports.silent}`,
  };
}
