import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nanoid } from 'nanoid';
import { connect, type JetStreamManager } from 'nats';
import pino from 'pino';
import { startNats } from '../../../infra/servers/nats.ts';
import { freePort } from '../../../infra/servers/port.ts';
import type { Server } from '../../../infra/servers/server.ts';
import { createNatsEventStream } from '../../../shared/adapters/events/nats.ts';
import type { EventMessage, EventStream } from '../../../shared/ports/event-stream.ts';
import { until } from '../../faults/waiting.ts';
import { pauseServer, START_LIMIT_MS, startOwn } from '../../servers.ts';

setDefaultTimeout(60_000);
const log = pino({ level: 'silent' });
const UNAVAILABLE = { code: 'UNAVAILABLE' };
const LIMITS = { maxMessages: 20 };
const SMALL = 1_048_576;

let server: Server & { url: string; end(): Promise<void> };
const opened: EventStream[] = [];

beforeAll(async () => {
  server = await startOwn(startNats);
}, START_LIMIT_MS);
afterAll(async () => {
  await Promise.all(opened.map((stream) => stream.close()));
  await server?.end();
}, START_LIMIT_MS);

const newName = (): string => `faults-${nanoid().replaceAll('_', '-')}`;
function open(stream: string, options: { url?: string; ackWaitMs?: number } = {}): EventStream {
  const { url = server.url, ...rest } = options;
  const created = createNatsEventStream({ url, name: 'test', stream, log, maxBytes: SMALL, ...rest });
  opened.push(created);
  return created;
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const publishText = (stream: EventStream, text: string): Promise<void> => stream.publish(text, bytesOf(text));

/** As a publisher with a buffer does: the same id until it is in. */
async function insist(stream: EventStream, text: string): Promise<void> {
  await until(`${text} is published`, () =>
    publishText(stream, text).then(
      () => true,
      () => false,
    ),
  );
}

async function collect(stream: EventStream) {
  const seen: string[] = [];
  const { drain } = await stream.consume(LIMITS, async (messages) => {
    seen.push(...messages.map(({ id }) => id));
  });
  return { seen, drain };
}

async function manage<T>(work: (manager: JetStreamManager) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: server.url });
  try {
    return await work(await connection.jetstreamManager());
  } finally {
    await connection.close();
  }
}

test('a killed server: publishing is UNAVAILABLE at once, and what was acknowledged before is there after', async () => {
  const stream = newName();
  const publisher = open(stream);
  const texts = Array.from({ length: 50 }, (_, n) => `before ${n}`);
  await Promise.all(texts.map((text) => publishText(publisher, text)));

  await server.kill();
  await until('the loss is known', () =>
    publisher.check().then(
      () => false,
      () => true,
    ),
  );
  await expect(publishText(publisher, 'meanwhile')).rejects.toMatchObject(UNAVAILABLE);
  await server.start();

  await insist(publisher, 'meanwhile');
  for (const text of texts) await insist(publisher, text);
  const { seen, drain } = await collect(open(stream));
  await until('all have come', async () => seen.length >= 51);
  await drain();
  expect(seen.toSorted()).toEqual([...texts, 'meanwhile'].toSorted());
});

test('a server killed under a consumer: nothing is lost, and it goes on by itself', async () => {
  const stream = newName();
  const publisher = open(stream);
  const { seen, drain } = await collect(open(stream, { ackWaitMs: 2_000 }));
  await publishText(publisher, 'first');
  await until('it has come', async () => seen.length > 0);
  const publishing = Promise.all(
    Array.from({ length: 100 }, async (_, n) => {
      await Bun.sleep(n * 5);
      await insist(publisher, `message ${n}`);
    }),
  );
  await Bun.sleep(100);
  await server.kill();
  await server.start();
  await publishing;
  await until('all have come', async () => new Set(seen).size >= 101);
  await drain();
});

/** As a server does on a full disk that dies: what it has not written is gone, and the consumer's place is not. */
async function loseMessages(stream: string): Promise<void> {
  await server.kill();
  const messages = join(dirname(server.logFile), 'jetstream/$G/streams', stream, 'msgs');
  for (const name of await readdir(messages)) await rm(join(messages, name));
  await server.start();
}

test.each([
  ['short of', 5],
  ['beyond', 15],
])(
  'a stream that has lost its end and counts anew, %s the place of its consumer: all comes',
  async (_, count) => {
    const stream = newName();
    const publisher = open(stream);
    const first = await collect(open(stream));
    for (let n = 0; n < 10; n++) await publishText(publisher, `before ${n}`);
    await until('they have come', async () => first.seen.length >= 10);
    await first.drain();

    await loseMessages(stream);
    const texts = Array.from({ length: count }, (_, n) => `after ${n}`);
    for (const text of texts) await insist(publisher, text);
    const second = await collect(open(stream));
    await until('all have come', async () => new Set(second.seen).size >= count);
    await second.drain();
    expect(new Set(second.seen)).toEqual(new Set(texts));
  },
);

test('a server that hangs: publishing is UNAVAILABLE after a while, and what was sent is one message', async () => {
  const stream = newName();
  const publisher = open(stream);
  await publishText(publisher, 'before');
  await pauseServer(server);
  try {
    await expect(publishText(publisher, 'meanwhile')).rejects.toMatchObject(UNAVAILABLE);
  } finally {
    server.resume();
  }
  await insist(publisher, 'meanwhile');
  await insist(publisher, 'after');
  const { seen, drain } = await collect(open(stream));
  await until('the last has come', async () => seen.includes('after'));
  await drain();
  expect(seen).toEqual(['before', 'meanwhile', 'after']);
});

test.concurrent('the messages of a consumer that died come to another; one that takes its time keeps them', async () => {
  const stream = newName();
  const publisher = open(stream);
  await publishText(publisher, 'left behind');
  const dying = createNatsEventStream({ url: server.url, name: 'dying', stream, log, ackWaitMs: 4_000 });
  const taken = Promise.withResolvers<void>();
  const die = Promise.withResolvers<void>();
  const { drain } = await dying.consume(LIMITS, async () => {
    taken.resolve();
    await die.promise;
  });
  await taken.promise;
  // With its connection gone it can neither acknowledge nor ask for time.
  await dying.close();

  const seen: EventMessage[] = [];
  let calls = 0;
  const slow = await open(stream, { ackWaitMs: 4_000 }).consume(LIMITS, async (messages) => {
    calls += 1;
    await Bun.sleep(10_000);
    seen.push(...messages);
  });
  await until('another has it', async () => seen.length > 0);
  await slow.drain();
  expect(calls).toBe(1);
  expect(seen.map(({ id }) => id)).toEqual(['left behind']);
  await manage(async ({ streams }) => {
    await until('it is acknowledged', async () => (await streams.info(stream)).state.messages === 0);
  });
  die.resolve();
  await drain();
});

test.concurrent('a stream that the operator has deleted is made again, by publishers and by consumers', async () => {
  const stream = newName();
  const publisher = open(stream);
  const { seen, drain } = await collect(open(stream));
  await publishText(publisher, 'before');
  await until('it has come', async () => seen.includes('before'));
  await manage(({ streams }) => streams.delete(stream));
  await publishText(publisher, 'after');
  await until('it has come', async () => seen.includes('after'));
  await manage(({ consumers }) => consumers.delete(stream, 'consumers'));
  await publishText(publisher, 'without consumer');
  await until('it has come', async () => seen.includes('without consumer'));
  await publisher.check();
  await drain();
});

test.concurrent('a full stream refuses what is new and keeps what it has acknowledged', async () => {
  const stream = newName();
  const publisher = open(stream);
  const bytes = new Uint8Array(100_000);
  let kept = 0;
  const fill = async (): Promise<void> => {
    for (; ; kept++) await publisher.publish(`message ${kept}`, bytes);
  };
  await expect(fill()).rejects.toMatchObject(UNAVAILABLE);
  expect(kept).toBe(10);
  const { seen, drain } = await collect(open(stream));
  await until('all have come', async () => seen.length >= 10);
  await insist(publisher, 'room again');
  await until('that, too', async () => seen.includes('room again'));
  await drain();
  expect(seen).toHaveLength(11);
});

test.concurrent('a stream of an earlier configuration is brought up to date, and keeps the operator’s own', async () => {
  const stream = newName();
  const publisher = open(stream);
  await publishText(publisher, 'kept');
  await manage(({ streams }) => streams.update(stream, { max_bytes: 4_096, description: 'of the operator' }));
  const { seen, drain } = await collect(open(stream));
  await until('it has come', async () => seen.includes('kept'));
  await drain();
  const { config } = await manage(({ streams }) => streams.info(stream));
  expect(config).toMatchObject({ max_bytes: SMALL, description: 'of the operator', storage: 'file' });
});

test.concurrent('no server: everything is UNAVAILABLE, and draining ends', async () => {
  const lonely = open(newName(), { url: `nats://127.0.0.1:${await freePort()}` });
  await expect(publishText(lonely, 'x')).rejects.toMatchObject(UNAVAILABLE);
  await expect(lonely.check()).rejects.toMatchObject(UNAVAILABLE);
  const { drain } = await collect(lonely);
  await drain();
});
