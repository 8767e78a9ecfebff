import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { join } from 'node:path';
import pino from 'pino';
import { startTcpProxy } from '../../../infra/faults/tcp-proxy.ts';
import { tcpAnswer } from '../../../infra/servers/answers.ts';
import { commandPath } from '../../../infra/servers/debian.ts';
import { startNats } from '../../../infra/servers/nats.ts';
import { freePort } from '../../../infra/servers/port.ts';
import { createChildServer, type Server } from '../../../infra/servers/server.ts';
import { createNatsBus } from '../../../shared/adapters/bus/nats.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import { pauseServer, START_LIMIT_MS, startOwn } from '../../servers.ts';

setDefaultTimeout(60_000);
const EIGHT_MB = 8_388_608;
const UNAVAILABLE = { code: 'UNAVAILABLE' };
const log = pino({ level: 'silent' });
const echo = async (payload: Uint8Array): Promise<Uint8Array> => payload;
const message = new TextEncoder().encode('hello');

let server: Server & { url: string; end(): Promise<void> };
let requester: Bus;
let member: Bus;
const connect = (name: string, url = server.url) =>
  createNatsBus({ url, name, minPayloadBytes: EIGHT_MB, log });

beforeAll(async () => {
  server = await startOwn(startNats);
  [requester, member] = await Promise.all([connect('requester'), connect('member')]);
}, START_LIMIT_MS);

afterAll(async () => {
  await Promise.all([requester?.close(), member?.close()]);
  await server?.end();
}, START_LIMIT_MS);

/** Until both ends have found the server again: a moment after it accepts connections. */
async function back(subject: string): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await requester.request(subject, message, { timeoutMs: 2_000 });
    } catch (error) {
      if (attempt === 100) throw error;
      await Bun.sleep(50);
    }
  }
}

test(
  'a killed server: requests under way and new ones are UNAVAILABLE at once, and the subscriptions come back with it',
  async () => {
    await member.serve('faults.echo', 'q', echo);
    await member.serve('faults.never', 'q', () => new Promise(() => undefined));
    const options = { timeoutMs: 60_000, gather: true };
    const underWay = [
      requester.request('faults.never', message, { timeoutMs: 60_000 }),
      ...Array.from({ length: 20 }, () => requester.request('faults.never', message, options)),
    ];
    const outcomes = Promise.allSettled(underWay);
    await requester.request('faults.echo', message, { timeoutMs: 2_000 });

    await server.kill();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
    }
    const fresh = requester.request('faults.echo', message, { timeoutMs: 60_000 });
    await expect(fresh).rejects.toMatchObject(UNAVAILABLE);
    await expect(requester.check()).rejects.toMatchObject(UNAVAILABLE);

    await server.start();
    expect(await back('faults.echo')).toEqual(message);
    await requester.check();
  },
  START_LIMIT_MS,
);

test(
  'drain and close end while the server is away',
  async () => {
    const leaving = await connect('leaving');
    const subscription = await leaving.serve('faults.leaving', 'q', echo);
    await server.kill();
    await subscription.drain();
    await leaving.close();
    await server.start();
    await back('faults.echo');
  },
  START_LIMIT_MS,
);

/** Kills the server and waits until its client has noticed: what it sends before that counts as sent. */
async function killServer(client = requester): Promise<void> {
  await server.kill();
  await expect(client.request('faults.echo', message, { timeoutMs: 60_000 })).rejects.toMatchObject(
    UNAVAILABLE,
  );
}

test(
  'requests made while a killed server comes back wait for it, and each is done once',
  async () => {
    const done: string[] = [];
    await member.serve('faults.counted', 'q', async (payload) => {
      done.push(new TextDecoder().decode(payload));
      return payload;
    });
    await killServer();
    const asked = Array.from({ length: 40 }, (_, index) =>
      requester.request('faults.counted', new TextEncoder().encode(`${index}`), {
        timeoutMs: 60_000,
        gather: index % 2 === 0,
        waits: true,
      }),
    );
    await server.start();
    const replies = (await Promise.all(asked)).map((reply) => new TextDecoder().decode(reply));
    const expected = asked.map((_, index) => `${index}`);
    expect(replies).toEqual(expected);
    expect(done.toSorted()).toEqual(expected.toSorted());
  },
  START_LIMIT_MS,
);

test(
  'a request that meets no member yet waits for those whose connection comes back later',
  async () => {
    const target = { host: '127.0.0.1', port: Number(new URL(server.url).port) };
    const link = await startTcpProxy({ name: 'member', target });
    const late = await connect('late', `nats://127.0.0.1:${link.port}`);
    await late.serve('faults.late', 'q', echo);
    await killServer();
    await link.cut();
    const request = requester.request('faults.late', message, { timeoutMs: 60_000, waits: true });
    await server.start();
    await back('faults.echo');
    await link.heal();
    expect(await request).toEqual(message);
    await late.close();
    await link.stop();
  },
  START_LIMIT_MS,
);

test(
  'only so many requests, and bytes of them, wait; those that were not sent in time are UNAVAILABLE',
  async () => {
    await killServer();
    const options = { timeoutMs: 1_000, waits: true };
    const failure = (payload = message): Promise<unknown> =>
      requester.request('faults.echo', payload, options).catch((error: unknown) => error);
    let settled = 0;
    const waiting = Array.from({ length: 1_000 }, () => failure().finally(() => settled++));
    expect(await failure()).toMatchObject(UNAVAILABLE);
    expect(settled).toBe(0);
    for (const error of await Promise.all(waiting)) expect(error).toMatchObject(UNAVAILABLE);

    settled = 0;
    const large = Array.from({ length: 4 }, () => failure(new Uint8Array(EIGHT_MB)).finally(() => settled++));
    expect(await failure()).toMatchObject(UNAVAILABLE);
    expect(settled).toBe(0);
    for (const error of await Promise.all(large)) expect(error).toMatchObject(UNAVAILABLE);
    await server.start();
    await back('faults.echo');
  },
  START_LIMIT_MS,
);

test(
  'in an outage that lasts nothing waits any more, and requests do again in the next one',
  async () => {
    const options = { timeoutMs: 60_000, waits: true };
    await killServer();
    await expect(requester.request('faults.echo', message, options)).rejects.toMatchObject(UNAVAILABLE);
    const settled: string[] = [];
    const late = requester.request('faults.echo', message, options).catch(() => settled.push('refused'));
    await Promise.race([late, Bun.sleep(1_000).then(() => settled.push('still waiting'))]);
    expect(settled).toEqual(['refused']);
    await server.start();
    await back('faults.echo');

    await killServer();
    const next = requester.request('faults.echo', message, options);
    await server.start();
    expect(await next).toEqual(message);
  },
  START_LIMIT_MS,
);

test('a bus that is closed lets nothing wait', async () => {
  const leaving = await connect('leaving');
  await killServer(leaving);
  const waiting = leaving.request('faults.echo', message, { timeoutMs: 60_000, waits: true });
  const outcome = waiting.catch((error: unknown) => error);
  await leaving.close();
  expect(await outcome).toMatchObject(UNAVAILABLE);
  await server.start();
  await back('faults.echo');
});

test('a paused server: a request is a TIMEOUT and the check fails', async () => {
  await pauseServer(server);
  try {
    const request = requester.request('faults.echo', message, { timeoutMs: 200 });
    await expect(request).rejects.toMatchObject({ code: 'TIMEOUT' });
    await expect(requester.check()).rejects.toMatchObject(UNAVAILABLE);
  } finally {
    server.resume();
  }
  expect(await back('faults.echo')).toEqual(message);
});

/** A NATS server as it comes: with messages of 1 MB at the most. */
async function startUnconfigured({ dir }: { dir: string }): Promise<Server & { url: string }> {
  const port = await freePort();
  const unconfigured = createChildServer({
    name: 'NATS without nats.conf',
    port,
    command: [commandPath('nats-server'), '-a', '127.0.0.1', '-p', String(port)],
    workingDirectory: dir,
    logFile: join(dir, 'server.log'),
    isReady: async () => (await tcpAnswer(port, ''))?.startsWith('INFO') ?? false,
  });
  await unconfigured.start();
  return { ...unconfigured, url: `nats://127.0.0.1:${port}` };
}

test(
  'a server left at its 1 MB limit stops the start and says what to set',
  async () => {
    const small = await startOwn(startUnconfigured);
    try {
      await expect(connect('any', small.url)).rejects.toThrow(
        'the NATS server takes messages of at most 1048576 bytes; set max_payload to 8388608 (see infra/nats.conf)',
      );
    } finally {
      await small.end();
    }
  },
  START_LIMIT_MS,
);

test('no server at the start is an error', async () => {
  await expect(connect('any', `nats://127.0.0.1:${await freePort()}`)).rejects.toThrow();
});

test(
  'a member whose machine is gone without a word gets no more requests after a while',
  async () => {
    const port = Number(new URL(server.url).port);
    const proxy = await startTcpProxy({ name: 'link', target: { host: '127.0.0.1', port } });
    const lost = await connect('lost', `nats://127.0.0.1:${proxy.port}`);
    try {
      for (const one of [lost, member]) await one.serve('faults.shared', 'q', echo);
      proxy.freeze();
      // NATS 2.9 takes what it sends to a client for a sign of life, so nothing is sent meanwhile.
      await Bun.sleep(12_000);
      const asked = Array.from({ length: 20 }, () =>
        requester.request('faults.shared', message, { timeoutMs: 5_000 }),
      );
      expect(await Promise.all(asked)).toEqual(asked.map(() => message));
    } finally {
      await lost.close();
      await proxy.stop();
    }
  },
  START_LIMIT_MS,
);
