import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { ownEnvironment } from '../environment.ts';

const handedOut = new Set<number>();

/** Whether nobody listens on a TCP port, of loopback unless said otherwise. */
export function canListen(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/** @throws Error that says what to do when something listens on this port */
export async function requireFreePort(port: number, host: string): Promise<void> {
  if (port !== 0 && !(await canListen(port, host)))
    throw new Error(`${host}:${port} is in use: set PORT to another one, or end what listens there`);
}

/**
 * A loopback TCP port nobody listens on, never the same one twice in a process. The port lies below the range the kernel
 * takes outgoing ports from (32768 and up on Linux), so no client's connection can take it while its server is down.
 * `PERCH_PORTS` (`20000-25999`) narrows the choice, for processes that choose at the same time.
 */
export async function freePort(): Promise<number> {
  const [first = 0, last = 0] = (ownEnvironment().PERCH_PORTS ?? '20000-31999').split('-').map(Number);
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = first + Math.floor(Math.random() * (last - first + 1));
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    if (await canListen(port)) return port;
  }
  throw new Error(`no free loopback port from ${first} to ${last}`);
}

/**
 * Ports for the servers whose data is in `dir`, the same ones at each start: servers that know one another by their
 * ports keep that in their data.
 */
export async function keptPorts(dir: string, count: number): Promise<number[]> {
  const file = join(dir, 'ports.json');
  const kept = await readPorts(file);
  if (Array.isArray(kept) && kept.length === count) return kept.map(Number);
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  await mkdir(dir, { recursive: true });
  // Whole or not at all: other ports than those that the servers keep would be of no use.
  const fresh = `${file}.new`;
  await writeFile(fresh, JSON.stringify(ports), { flush: true });
  await rename(fresh, file);
  return ports;
}

/** `null`: there are none yet. @throws Error that names the file when it is damaged */
async function readPorts(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(
      `${file} is damaged: it has to list the ports that the servers in its folder were started on`,
      {
        cause,
      },
    );
  }
}
