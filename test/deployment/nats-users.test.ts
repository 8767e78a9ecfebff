import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { NatsConnection } from 'nats';
import { startNats } from '../../infra/servers/nats.ts';
import { freePort } from '../../infra/servers/port.ts';
import type { Server } from '../../infra/servers/server.ts';
import { until } from '../../infra/until.ts';
import { createNatsBus } from '../../shared/adapters/bus/nats.ts';
import { createNatsEventStream } from '../../shared/adapters/events/nats.ts';
import { connectToNats } from '../../shared/adapters/nats-connection.ts';
import { publishChange, subscribeToChanges } from '../../shared/contracts/changes.ts';
import type { AnyOperation } from '../../shared/contracts/operation.ts';
import { createLogger } from '../../shared/logger.ts';
import type { Bus } from '../../shared/ports/bus.ts';
import { ACCESS_EVENT_STREAM, BUS_PAYLOAD_BYTES } from '../../shared/wiring/dependencies.ts';
import { START_LIMIT_MS } from '../servers.ts';

const USERS = ['gateway', 'content', 'kv', 'site', 'analytics'];
const SERVICES = USERS.slice(1);
const { log } = createLogger('test', 'silent');
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

let dir = '';
let server: Server & { url: string };
const buses = new Map<string, Bus>();

/** Each user's password is not a word of an address: it has to be decoded. */
const passwordOf = (user: string): string => `n${user}@/:%`;
const urlOf = (user: string, password = passwordOf(user)): string =>
  server.url.replace('//', `//${user}:${encodeURIComponent(password)}@`);

/** The subjects of all operations, found in the contracts themselves. */
async function subjects(): Promise<string[]> {
  const folder = resolve(import.meta.dirname, '../../shared/contracts');
  const found = new Set<string>();
  for (const file of new Bun.Glob('*.ts').scanSync(folder)) {
    const exported: Record<string, unknown> = await import(join(folder, file));
    for (const value of Object.values(exported)) if (isOperation(value)) found.add(value.subject);
  }
  return [...found].toSorted();
}

const isOperation = (value: unknown): value is AnyOperation =>
  typeof value === 'object' && value !== null && 'subject' in value && 'timeoutMs' in value;

/** The variables that name the passwords of all users. */
const passwordsOf = (of: (user: string) => string): Record<string, string> =>
  Object.fromEntries(USERS.map((user) => [`NATS_${user.toUpperCase()}_PASSWORD`, `"${of(user)}"`]));

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-nats-users-'));
  server = await startNats({ dir, passwords: passwordsOf(passwordOf) });
  for (const user of USERS)
    buses.set(
      user,
      await createNatsBus({ url: urlOf(user), name: user, minPayloadBytes: BUS_PAYLOAD_BYTES, log }),
    );
}, START_LIMIT_MS);

afterAll(async () => {
  await Promise.all([...buses.values()].map((bus) => bus.close()));
  await server?.stop();
  await rm(dir, { recursive: true, force: true });
});

function busOf(user: string): Bus {
  const bus = buses.get(user);
  if (bus === undefined) throw new Error(`no bus of ${user}`);
  return bus;
}

test('nobody gets in without a password, or with another’s', async () => {
  expect(connectToNats(server.url, 'test')).rejects.toThrow('Authorization');
  expect(connectToNats(urlOf('kv', passwordOf('gateway')), 'test')).rejects.toThrow('Authorization');
});

test('a process that was refused again and again is let in once its password is right', async () => {
  const passwords = { right: passwordsOf(passwordOf), wrong: passwordsOf(() => 'changed') };
  const port = await freePort();
  const folder = join(dir, 'refusing');
  let running = await startNats({ dir: folder, port, passwords: passwords.right });
  const restart = async (given: Record<string, string>): Promise<void> => {
    await running.stop();
    running = await startNats({ dir: folder, port, passwords: given });
  };
  const url = new URL(urlOf('kv'));
  url.port = String(port);
  const connection = await connectToNats(url.href, 'test');
  try {
    await restart(passwords.wrong);
    const log = Bun.file(join(folder, 'server.log'));
    const refusals = async () => (await log.text()).split('authentication error').length - 1;
    await until('three refusals', async () => (await refusals()) >= 3, 20_000);
    await restart(passwords.right);
    await until('the connection', async () => !connection.isClosed() && (await answers(connection)), 20_000);
  } finally {
    await connection.close();
    await running.stop();
  }
});

const answers = (connection: NatsConnection): Promise<boolean> =>
  Promise.race([
    connection.flush().then(
      () => true,
      () => false,
    ),
    Bun.sleep(1_000).then(() => false),
  ]);

test('every operation of the contracts is asked by gateways and answered by the service that it names', async () => {
  const all = await subjects();
  expect(all.length).toBeGreaterThan(30);
  expect([...new Set(all.map((subject) => subject.split('.')[0] ?? ''))].toSorted()).toEqual(
    SERVICES.toSorted(),
  );
  for (const subject of all) {
    const service = subject.split('.')[0] ?? '';
    const serving = await busOf(service).serve(subject, service, async (bytes) => bytes);
    const asked = Array.from({ length: 3 }, () =>
      busOf('gateway').request(subject, encode(subject), { timeoutMs: 30_000, gather: true }),
    );
    for (const reply of await Promise.all(asked)) expect(new TextDecoder().decode(reply)).toBe(subject);
    await serving.drain();
  }
});

test.each(['content', 'kv', 'site'])(
  '%s tells the gateways of changes, and only they hear it',
  async (user) => {
    const item = { namespace: 'public', id: 'a.b' };
    const heard: Array<string | null> = [];
    const listening = await subscribeToChanges(busOf('gateway'), item, (key) => heard.push(key));
    publishChange(busOf(user), item);
    publishChange(busOf(user), item, 'a key');
    await until('the changes are heard', async () => heard.length === 2, 30_000);
    expect(heard).toEqual([null, 'a key']);
    await listening.drain();
    expect(await hears(user, 'changed.>')).toBe(false);
    expect(await says('gateway', 'changed.public.x')).toBe(false);
  },
);

type Attempt = (connection: NatsConnection, refused: (error: Error | null) => void) => void;

/** Whether the server refuses what a user tries. */
async function isRefused(user: string, attempt: Attempt): Promise<boolean> {
  const connection = await connectToNats(urlOf(user), 'test');
  let refused = false;
  // The client tells of what was published here, of a subscription in its callback. The list of what it tells has no end.
  const watch = async (): Promise<void> => {
    for await (const { data } of connection.status()) refused ||= String(data).includes('PERMISSIONS');
  };
  void watch();
  attempt(connection, (error) => {
    refused ||= error !== null;
  });
  // The server's refusal comes before its answer to this.
  await connection.flush();
  await Bun.sleep(0);
  await connection.close();
  return refused;
}

const hears = (user: string, subject: string) =>
  isRefused(user, (connection, refused) => connection.subscribe(subject, { callback: refused })).then(
    (isKept) => !isKept,
  );
const says = (user: string, subject: string) =>
  isRefused(user, (connection) => connection.publish(subject, encode('x'))).then((isKept) => !isKept);

const OTHERS = {
  gateway: ['content.create-html', 'kv.put-entry', '_INBOX.content.x', '_INBOX.>', '>'],
  content: ['kv.put-entry', 'analytics.submit-report', '_INBOX.gateway.x', '_INBOX.>', '>', 'content.>'],
  kv: ['content.create-html', '_INBOX.gateway.>', '$JS.API.>', 'perch-access-events.batches'],
  site: ['content.create-html', '_INBOX.gateway.>', 'perch-access-events.batches'],
  analytics: ['content.create-html', '_INBOX.gateway.>', 'perch-access-events.batches'],
};

test.each(Object.entries(OTHERS))('%s hears nothing that is not for it', async (user, refused) => {
  expect(await hears(user, `_INBOX.${user}.x`)).toBe(true);
  for (const subject of refused) expect([subject, await hears(user, subject)]).toEqual([subject, false]);
});

test.each(SERVICES)('%s asks no service, makes up no reply for another and no event', async (user) => {
  expect(await says(user, '_INBOX.gateway.x')).toBe(true);
  const others = SERVICES.map((service) => `_INBOX.${service}.x.alone.1`);
  for (const subject of ['content.create-html', 'kv.put-entry', 'perch-access-events.batches', ...others])
    expect([subject, await says(user, subject)]).toEqual([subject, false]);
});

test('the stream of access events is filled by gateways, emptied by analytics, and removed by neither', async () => {
  const open = (user: string) =>
    createNatsEventStream({ url: urlOf(user), name: user, stream: ACCESS_EVENT_STREAM, log });
  const [filling, emptying] = [open('gateway'), open('analytics')];
  const taken: string[] = [];
  try {
    await filling.publish('first', encode('1'));
    const consuming = await emptying.consume({ maxMessages: 10 }, async (messages) => {
      taken.push(...messages.map(({ id }) => id));
    });
    await filling.publish('second', encode('2'));
    await until('both have come', async () => taken.length >= 2);
    await consuming.drain();
    expect(taken.toSorted()).toEqual(['first', 'second']);
    await Promise.all([filling.check(), emptying.check()]);
    await until('none waits', async () => (await emptying.waiting()) === 0);
    // A consumer that lost its place is repaired by removing and making it again.
    expect(await says('analytics', `$JS.API.CONSUMER.DELETE.${ACCESS_EVENT_STREAM}.consumers`)).toBe(true);
    for (const user of USERS)
      expect([user, await says(user, `$JS.API.STREAM.DELETE.${ACCESS_EVENT_STREAM}`)]).toEqual([user, false]);
  } finally {
    await Promise.all([filling.close(), emptying.close()]);
  }
});

test('who finds no stream makes it, analytics, too', async () => {
  const name = 'analytics';
  const stream = createNatsEventStream({ url: urlOf(name), name, stream: ACCESS_EVENT_STREAM, log });
  try {
    const consuming = await stream.consume({ maxMessages: 1 }, async () => undefined);
    await until('the stream answers', () =>
      stream.check().then(
        () => true,
        () => false,
      ),
    );
    await consuming.drain();
  } finally {
    await stream.close();
  }
});
