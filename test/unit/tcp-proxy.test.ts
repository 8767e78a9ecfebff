import { afterAll, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { startTcpProxy, type TcpProxy } from '../../infra/faults/tcp-proxy.ts';

const ending: Array<() => unknown> = [];
afterAll(async () => {
  for (const end of ending.reverse()) await end();
});

/** A server that does with each connection what the test says, and a proxy in front of it. */
async function startPair(serve: (socket: Socket) => void) {
  const accepted: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket);
    socket.on('error', () => undefined);
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxy = await startTcpProxy({ name: 'test', target: { host: '127.0.0.1', port } });
  ending.push(
    () => server.close(),
    () => {
      for (const socket of accepted) socket.destroy();
    },
    () => proxy.stop(),
  );
  return { proxy, accepted };
}

const echo = (socket: Socket): void => {
  socket.pipe(socket);
};

interface Client {
  socket: Socket;
  /** The text received so far. */
  received(): string;
  /** The end of the connection: the code of its error, or `closed`. */
  ended: Promise<string>;
}

async function open(proxy: TcpProxy): Promise<Client> {
  const socket = connect({ port: proxy.port, host: '127.0.0.1' });
  ending.push(() => socket.destroy());
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  const ended = new Promise<string>((resolve) => {
    socket.once('error', (error) => resolve('code' in error ? String(error.code) : error.message));
    socket.once('close', () => resolve('closed'));
  });
  await Promise.race([once(socket, 'connect'), ended]);
  return { socket, received: () => text, ended };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(1);
}

const answers = async (client: Client, line: string): Promise<void> => {
  client.socket.write(line);
  await until(() => client.received().endsWith(line));
};

/** Sends over a connection whose end is known to be silent: what comes back comes through another. */
const isSilent = async (client: Client, witness: () => Promise<void>): Promise<boolean> => {
  const before = client.received();
  client.socket.write('anybody?');
  await witness();
  await Bun.sleep(30);
  return client.received() === before;
};

test('bytes pass whole both ways, over many connections at once, and an end is passed on', async () => {
  const { proxy } = await startPair(echo);
  const sent = Array.from({ length: 100 }, () => randomBytes(100_000));
  const returned = await Promise.all(
    sent.map(async (bytes) => {
      const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true });
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      socket.end(bytes);
      await once(socket, 'end');
      return Buffer.concat(chunks);
    }),
  );
  expect(returned.every((bytes, index) => bytes.equals(sent[index] ?? Buffer.alloc(0)))).toBe(true);
  await until(() => proxy.connections() === 0);
});

test('a reader that takes nothing stops the sender, and gets everything when it goes on', async () => {
  const { proxy, accepted } = await startPair((socket) => socket.pause());
  const { socket } = await open(proxy);
  const chunk = Buffer.alloc(65_536, 'x');
  const total = 64 * 1_048_576;
  let sent = 0;
  let isStuck = false;
  const send = async (): Promise<void> => {
    for (; sent < total; sent += chunk.length) {
      if (socket.write(chunk)) continue;
      const stuck = setTimeout(() => {
        isStuck = true;
      }, 300);
      await once(socket, 'drain');
      clearTimeout(stuck);
      isStuck = false;
    }
  };
  const sending = send();
  await until(() => isStuck);
  // Four socket buffers of the kernel's, and what two ends and a proxy hold.
  expect(sent).toBeLessThan(total / 2);
  let taken = 0;
  for (const server of accepted) {
    server.on('data', (bytes) => {
      taken += bytes.length;
    });
    server.resume();
  }
  await sending;
  await until(() => taken === total);
});

test('a delay holds each chunk toward the server, in order, and none toward the client', async () => {
  const { proxy, accepted } = await startPair(echo);
  const client = await open(proxy);
  await answers(client, 'first');
  proxy.delay(150);
  const begun = performance.now();
  client.socket.write('a');
  await Bun.sleep(20);
  client.socket.write('b');
  for (const server of accepted) server.write('hello');
  await until(() => client.received() === 'firsthello');
  await until(() => client.received() === 'firsthelloab');
  expect(performance.now() - begun).toBeGreaterThanOrEqual(149);
  client.socket.write('c');
  proxy.delay(0);
  await answers(client, 'd');
  expect(client.received()).toBe('firsthelloabcd');
});

test('a cut closes what is there and refuses what comes, until it is healed', async () => {
  const { proxy } = await startPair(echo);
  const clients = await Promise.all([open(proxy), open(proxy)]);
  await Promise.all(clients.map((client) => answers(client, 'hello')));
  await proxy.cut();
  await proxy.cut();
  expect(await Promise.all(clients.map(({ ended }) => ended))).toEqual(['closed', 'closed']);
  expect(await (await open(proxy)).ended).toBe('ECONNREFUSED');
  await proxy.heal();
  await proxy.heal();
  await answers(await open(proxy), 'again');
});

test('a reset ends what is there with RST on both sides, and new connections go on', async () => {
  const codes: string[] = [];
  const { proxy } = await startPair((socket) => {
    echo(socket);
    socket.on('error', (error) => codes.push('code' in error ? String(error.code) : ''));
  });
  const client = await open(proxy);
  await answers(client, 'hello');
  proxy.reset();
  expect(await client.ended).toBe('ECONNRESET');
  await until(() => codes.length === 1);
  expect(codes).toEqual(['ECONNRESET']);
  await answers(await open(proxy), 'again');
  expect(proxy.connections()).toBe(1);
});

test('frozen, nothing passes and nothing closes, also of new connections; healed, what was sent arrives', async () => {
  const { proxy, accepted } = await startPair(echo);
  const other = await startPair(echo);
  const witness = await open(other.proxy);
  const passes = () => answers(witness, 'still here');
  const old = await open(proxy);
  await answers(old, 'hello');
  proxy.freeze();
  const young = await open(proxy);
  for (const server of accepted) server.write('from the server');
  expect(await Promise.all([isSilent(old, passes), isSilent(young, passes)])).toEqual([true, true]);
  expect(proxy.connections()).toBe(2);
  await proxy.heal();
  await until(() => old.received() === 'hellofrom the serveranybody?');
  await until(() => young.received() === 'anybody?');
});

test('stranded, the present connections are silent and the new ones are not', async () => {
  const { proxy } = await startPair(echo);
  const old = await open(proxy);
  await answers(old, 'hello');
  proxy.strand();
  const young = await open(proxy);
  expect(await isSilent(old, () => answers(young, 'here'))).toBe(true);
  await proxy.heal();
  await until(() => old.received() === 'helloanybody?');
});

test('a connection that was reset while frozen is gone after the heal', async () => {
  const { proxy } = await startPair(echo);
  proxy.freeze();
  const client = await open(proxy);
  client.socket.resetAndDestroy();
  await proxy.heal();
  await until(() => proxy.connections() === 0);
  await answers(await open(proxy), 'again');
});

test('a server that is away resets its clients, and one that comes back gets new ones', async () => {
  const { port } = (await startPair(echo)).proxy;
  const gone = await startTcpProxy({ name: 'away', target: { host: '127.0.0.1', port: 1 } });
  const back = await startTcpProxy({ name: 'back', target: { host: '127.0.0.1', port } });
  ending.push(
    () => gone.stop(),
    () => back.stop(),
  );
  expect(await (await open(gone)).ended).toBe('ECONNRESET');
  await until(() => gone.connections() === 0);
  await answers(await open(back), 'hello');
});
