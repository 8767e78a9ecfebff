import { createServer } from 'node:net';

const handedOut = new Set<number>();

/** Whether nobody listens on a loopback TCP port. */
export function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/**
 * A loopback TCP port nobody listens on, never the same one twice in a process. It lies below the range the kernel
 * takes outgoing ports from (32768 and up on Linux), so no client's connection can take it while its server is down.
 */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (handedOut.has(port) || !(await canListen(port))) continue;
    handedOut.add(port);
    return port;
  }
  throw new Error('no free loopback port between 20000 and 32000');
}
