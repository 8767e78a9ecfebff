import { connect } from 'node:net';

/** Longest wait for the next bytes, in ms. */
const TCP_LIMIT_MS = 1_000;

/** Connects to a loopback port, sends `request`, and resolves to the first bytes that come back; null when none do. */
export function tcpAnswer(port: number, request: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answer: string | null) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(TCP_LIMIT_MS, () => finish(null));
    socket.once('error', () => finish(null));
    socket.once('close', () => resolve(null));
    socket.once('connect', () => socket.write(request));
    socket.once('data', (bytes) => finish(bytes.toString('latin1')));
  });
}

/** Whether an address answers a GET with a 2xx status within two seconds. */
export async function answersOk(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
