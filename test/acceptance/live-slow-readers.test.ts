import { afterEach, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { atOnce, eventually } from './support/concurrency.ts';
import { type EventReader, openEvents } from './support/event-reader.ts';
import { keyPath, publishStore, setKey } from './support/kv-client.ts';
import { usePerch } from './support/perch.ts';

const perch = usePerch({ env: { TRUST_PROXY: '1' } });

const opened: EventReader[] = [];
const sockets: Socket[] = [];
afterEach(() => {
  for (const reader of opened.splice(0)) reader.close();
  for (const socket of sockets.splice(0)) socket.destroy();
});

const metric = async (name: string): Promise<number> => {
  const text = await (await perch.request('/metrics')).text();
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)`, 'm').exec(text)?.[1]);
};

/** Opens a stream for a reader who takes nothing of it. */
function takeNothing(path: string, client: string): void {
  const { hostname, port } = new URL(perch.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  sockets.push(socket);
  const head = [
    ...[`GET ${path} HTTP/1.1`, 'Host: perch', 'User-Agent: PerchTests/1'],
    ...['Accept: text/event-stream', `X-Forwarded-For: ${client}`],
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.pause();
}

test('readers of one client who take nothing keep no event from another client', async () => {
  const store = await publishStore(perch, { value: 'x' }, { query: { ttl: 30 } });
  const own = await publishStore(perch, { value: 0 }, { query: { ttl: 30 } });
  for (let n = 0; n < 90; n++) takeNothing(keyPath(store, 'first'), '10.4.1.1');
  await eventually(async () => (await metric('live_watchers')) >= 90);
  const other = await openEvents(`${perch.url}${keyPath(own, 'first')}`, { 'X-Forwarded-For': '10.4.1.2' });
  opened.push(other);
  await other.next();
  // More than the kernel keeps for them: then 90 times a megabyte would be on its way, more than there is room for.
  for (let n = 0; n < 20; n++)
    await setKey(perch, store, 'first', String.fromCharCode(97 + n).repeat(1_000_000));
  for (let n = 1; n <= 5; n++) {
    // More than what a few of the others leave of the room by chance.
    await setKey(perch, own, 'first', `${n}`.padEnd(900_000, 'y'));
    await eventually(() => other.waiting > 0, 15_000);
    expect((await other.next())?.data.slice(0, 3)).toBe(`"${n}y`);
  }
}, 60_000);

test('readers that take nothing hold the latest value only, and are cut off', async () => {
  const store = await publishStore(perch, { value: 'x'.repeat(500_000) }, { query: { ttl: 30 } });
  for (let n = 0; n < 60; n++) takeNothing(keyPath(store, 'first'), `10.4.0.${n}`);
  await eventually(async () => (await metric('live_watchers')) >= 60);
  const attentive = await openEvents(`${perch.url}${keyPath(store, 'first')}`);
  opened.push(attentive);
  await attentive.next();
  const memory = await metric('process_resident_memory_bytes');
  for (let n = 0; n < 40; n++) {
    const value = `${n}`.repeat(250_000);
    await setKey(perch, store, 'first', value);
    await attentive.next();
  }
  // 60 readers times 40 values of half a megabyte would be 1.2 GB.
  expect((await metric('process_resident_memory_bytes')) - memory).toBeLessThan(300 * 1_048_576);
  // By this process, or by Bun, which closes a connection that takes nothing for a minute.
  await eventually(async () => (await metric('live_watchers')) === 1, 120_000);
  expect((await atOnce(5, () => perch.request(keyPath(store, 'first')))).every(({ ok }) => ok)).toBe(true);
}, 180_000);
