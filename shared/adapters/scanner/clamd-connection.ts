import { connect, type Socket } from 'node:net';

/** Where a clamd listens: `tcp://host:port`, or `unix:///path`. */
export type ClamdAddress = { host: string; port: number } | { path: string };

/** @throws TypeError for another scheme */
export function clamdAddress(url: string): ClamdAddress {
  const { protocol, hostname, port, pathname } = new URL(url);
  if (protocol === 'unix:') return { path: decodeURIComponent(pathname) };
  if (protocol !== 'tcp:') throw new TypeError('clamd is at tcp://host:port or unix:///path');
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port === '' ? 3310 : port) };
}

/** One command of clamd, on a connection of its own. */
export interface ClamdConnection {
  /** Whether an answer has begun to arrive, or none will come any more. */
  readonly isAnswered: boolean;
  /** Resolves when clamd has taken it, or has answered already. */
  send(bytes: Uint8Array): Promise<void>;
  /** The answer without the NUL at its end. Rejects when the connection ends before it. */
  answer(): Promise<string>;
}

/** Longest answer that is read: a name of a signature, or one line about the server. */
const ANSWER_BYTES = 4_096;

/** Connects. @param signal closes the connection; whoever waits for it gets an error */
export function openClamd(address: ClamdAddress, signal: AbortSignal): Promise<ClamdConnection> {
  const socket = connect(address);
  signal.addEventListener('abort', () => void socket.destroy(), { once: true });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('clamd closed the connection')));
    socket.once('connect', () => resolve(speakOver(socket)));
  });
}

function speakOver(socket: Socket): ClamdConnection {
  let text = '';
  let failure: Error | null = null;
  let isOver = false;
  let wake = (): void => undefined;
  const end = (error: Error | null): void => {
    failure ??= error;
    isOver = true;
    wake();
  };
  socket.setNoDelay(true);
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('utf8');
    if (text.includes('\0') || text.length > ANSWER_BYTES) end(null);
    wake();
  });
  socket.on('drain', () => wake());
  socket.on('error', end);
  socket.on('close', () => end(null));
  /** Waits for the next event of the connection. */
  const next = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  };
  return {
    get isAnswered() {
      return isOver || text !== '';
    },
    async send(bytes) {
      if (isOver || socket.write(bytes)) return;
      while (!isOver && text === '' && socket.writableNeedDrain) await next();
    },
    async answer() {
      while (!isOver) await next();
      const nul = text.indexOf('\0');
      if (nul >= 0) return text.slice(0, nul);
      throw failure ?? new Error('clamd closed the connection before it answered');
    },
  };
}
