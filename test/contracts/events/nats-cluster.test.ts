import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { nanoid } from 'nanoid';
import { connect } from 'nats';
import pino from 'pino';
import { startNatsCluster } from '../../../infra/servers/nats.ts';
import type { Server, ServerGroup } from '../../../infra/servers/server.ts';
import { createNatsBus } from '../../../shared/adapters/bus/nats.ts';
import { createNatsEventStream } from '../../../shared/adapters/events/nats.ts';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { EventStream } from '../../../shared/ports/event-stream.ts';
import { until } from '../../faults/waiting.ts';
import { START_LIMIT_MS, startOwnGroup } from '../../servers.ts';

setDefaultTimeout(120_000);
const log = pino({ level: 'silent' });
let group: ServerGroup & { end(): Promise<void> };

beforeAll(async () => {
  group = await startOwnGroup(startNatsCluster);
}, START_LIMIT_MS);
afterAll(() => group?.end(), START_LIMIT_MS);

const newName = (): string => `cluster-${nanoid().replaceAll('_', '-')}`;
const openStream = (stream: string, replicas: number | null): EventStream =>
  createNatsEventStream({ url: group.url, name: 'test', stream, log, maxBytes: 1_048_576, replicas });

test('requests find a member on any server, and again when its server dies', async () => {
  const subject = newName();
  const open = (url: string, name: string) => createNatsBus({ url, name, minPayloadBytes: 8_388_608, log });
  const urls = group.url.split(',');
  const requesters = await Promise.all(urls.map((url) => open(url, 'requester')));
  const members = [await open(group.url, 'first'), await open(group.url, 'second')];
  try {
    for (const member of members) await member.serve(subject, 'queue', async (bytes) => bytes);
    const isAnswered = async (bus: Bus): Promise<boolean> => {
      const options = { timeoutMs: 2_000, waits: false, gather: false };
      const answer = await bus.request(subject, new Uint8Array([7]), options).catch(() => null);
      return answer?.[0] === 7;
    };
    for (const bus of requesters) await until('a member answers', () => isAnswered(bus));
    for (const [n, server] of group.members.entries()) {
      await server.kill();
      for (const bus of requesters.toSpliced(n, 1)) await until('a member answers', () => isAnswered(bus));
      await server.start();
      for (const bus of requesters) await until('a member answers', () => isAnswered(bus));
    }
  } finally {
    await Promise.all([...requesters, ...members].map((bus) => bus.close()));
  }
});

/** The leader of a stream, and on how many servers it is. */
async function stateOf(stream: string): Promise<{ leader: string; copies: number }> {
  const connection = await connect({
    servers: group.url.split(','),
    maxReconnectAttempts: 3,
    timeout: 1_000,
  });
  try {
    const { config, cluster } = await (await connection.jetstreamManager()).streams.info(stream);
    return { leader: cluster?.leader ?? '', copies: config.num_replicas };
  } finally {
    await connection.close();
  }
}

const insist = (stream: EventStream, text: string): Promise<void> =>
  until(`${text} is published`, () =>
    stream.publish(text, new TextEncoder().encode(text)).then(
      () => true,
      () => false,
    ),
  );

test('a stream with one copy gets three when the setting says so, and keeps them without it', async () => {
  const name = newName();
  const copiesAfter = async (replicas: number | null, text: string): Promise<number> => {
    const stream = openStream(name, replicas);
    await insist(stream, text);
    await (await stream.consume({ maxMessages: 1 }, async () => undefined)).drain();
    await stream.close();
    return (await stateOf(name)).copies;
  };
  expect(await copiesAfter(null, 'first')).toBe(1);
  expect(await copiesAfter(3, 'second')).toBe(3);
  expect(await copiesAfter(null, 'third')).toBe(3);
});

test('nothing that the stream took is lost with any of its servers, its leader among them', async () => {
  const name = newName();
  const [publisher, member] = [openStream(name, 3), openStream(name, 3)];
  const seen = new Set<string>();
  const { drain } = await member.consume({ maxMessages: 20 }, async (messages) => {
    for (const { id } of messages) seen.add(id);
  });
  const published: string[] = [];
  const publishSome = async (count: number): Promise<void> => {
    for (let left = count; left > 0; left -= 1) {
      const text = `message ${published.length}`;
      await insist(publisher, text);
      published.push(text);
    }
  };
  await publishSome(10);
  const { leader } = await stateOf(name);
  const others = group.members.filter((server) => !server.name.endsWith(leader));
  const ofLeader = group.members.filter((server) => server.name.endsWith(leader));
  expect([ofLeader.length, others.length]).toEqual([1, 2]);
  for (const server of [...ofLeader, ...others] satisfies Server[]) {
    await server.kill();
    await publishSome(10);
    await until('all has come', async () => published.every((text) => seen.has(text)));
    await server.start();
    await until('the stream has all its copies again', async () => (await lagging(name)) === 0);
  }
  await drain();
  await Promise.all([publisher.close(), member.close()]);
  expect(published).toHaveLength(40);
});

/** How many copies do not have everything. */
async function lagging(stream: string): Promise<number> {
  const connection = await connect({ servers: group.url.split(','), timeout: 1_000 });
  try {
    const { cluster } = await (await connection.jetstreamManager()).streams.info(stream);
    const copies = cluster?.replicas ?? [];
    return copies.filter(({ current, offline }) => !current || offline === true).length + (2 - copies.length);
  } catch {
    return 3;
  } finally {
    await connection.close();
  }
}
