import { errorCode } from './error-code.ts';

/** A start that fails as nothing can listen at HOST and PORT; says in plain words what to set. */
export class ListenError extends Error {
  constructor(address: Address, cause: unknown) {
    super(reason(address, errorCode(cause) ?? ''), { cause });
  }
}

interface Address {
  host: string;
  /** 0: any free one. */
  port: number;
  /** Setting that the port comes from; PORT unless said otherwise. */
  setting?: 'PORT' | 'SHARED_PORT';
}

/**
 * Runs what opens a port.
 * @throws ListenError where the port is taken or not allowed, or the address is not of this machine
 */
export function listenAt<T>(address: Address, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw new ListenError(address, error);
  }
}

/**
 * Opens a port and closes it again, so that a start ends before it has made anything. Somebody else may still take it
 * afterwards.
 * @throws ListenError as `listenAt`
 */
export function tryPort(address: Address): void {
  const { host: hostname, port } = address;
  const listener = listenAt(address, () =>
    Bun.listen({ hostname, port, socket: { open: (socket) => socket.terminate(), data: () => undefined } }),
  );
  listener.stop(true);
}

function reason({ host, port, setting = 'PORT' }: Address, code: string): string {
  if (code === 'EADDRINUSE')
    return `${setting} ${port} is in use: another program listens on ${host}:${port}. Stop it, or set ${setting} to a free one.`;
  if (code === 'EACCES')
    return `${setting} ${port} is not allowed: this user may not listen on it. Set ${setting} to one above 1023.`;
  if (code === 'EADDRNOTAVAIL')
    return `HOST ${host} is no address of this machine. Set HOST to one of them, or to 0.0.0.0 for all.`;
  return `${setting} ${port} of HOST ${host} cannot be listened on.`;
}
