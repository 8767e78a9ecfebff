import { afterEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import pino from 'pino';
import { closeServer } from '../../../services/gateway/server.ts';

const log = pino({ level: 'silent' });
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A server that answers when it is told to, and a connection with what came back on it until its end. */
async function open() {
  const { promise: released, resolve: answer } = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch() {
      arrived.resolve();
      await released;
      return new Response('answered');
    },
  });
  const socket = connect(server.port ?? 0, '127.0.0.1');
  sockets.push(socket);
  const ended = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
  const close = (gently: boolean) => closeServer(server, { underWay: () => 0, gently, log });
  return { socket, ended, answer, arrived: arrived.promise, close, url: server.url };
}

/** Bytes that the server has read, though nothing shows it: another request that came later is answered. */
const untilRead = async (socket: Socket, bytes: string, url: URL): Promise<void> => {
  await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  await fetch(url, { keepalive: false });
};

const REST = 't: perch\r\n\r\n';
const FIRST = 'GET / HTTP/1.1\r\nHos';

test('a request under way is answered, then nothing is left', async () => {
  const { socket, ended, answer, arrived, close, url } = await open();
  socket.write(FIRST + REST);
  await arrived;
  const closed = close(false);
  answer();
  await closed;
  expect(await ended).toContain('answered');
  await expect(fetch(url)).rejects.toThrow();
});

test('a request that has begun to arrive is answered, too, where others are to notice nothing', async () => {
  const { socket, ended, answer, close, url } = await open();
  answer();
  await untilRead(socket, FIRST, url);
  const closed = close(true);
  socket.write(REST);
  await closed;
  expect(await ended).toContain('answered');
});
