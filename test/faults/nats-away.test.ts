import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { useStarted } from '../started.ts';
import { createPage, readRaw, removePage, summary, updatePage } from './client.ts';
import { processesOf, serverOf, sharedOnOwnServers } from './own-servers.ts';
import { untilCacheIsServed, untilDown, untilReady } from './waiting.ts';
import { underFire } from './workload.ts';

setDefaultTimeout(300_000);

const perch = useStarted(sharedOnOwnServers);
beforeAll(() => untilCacheIsServed(perch));

test('NATS killed: 503 with Retry-After, hot pages go on, and it recovers by itself', async () => {
  const nats = serverOf(perch, 'nats');
  const before = processesOf(perch);
  expect(summary(await createPage(perch.url, { id: 'nats-hot', content: '<p>hot' }))).toBe('201');
  expect(summary(await readRaw(perch.url, '/faults/nats-hot'))).toBe('200');

  await nats.kill();
  await untilDown(perch.url, 'bus', 'content');
  for (const service of perch.services.contents) await untilDown(service.url, 'bus');
  expect(await readRaw(perch.url, '/faults/nats-hot')).toMatchObject({ status: 200, text: '<p>hot' });
  expect(summary(await createPage(perch.url, { id: 'nats-meanwhile', content: '<p>x' }))).toBe(
    '503 UNAVAILABLE',
  );
  expect(summary(await updatePage(perch.url, '/faults/nats-hot', '<p>x'))).toBe('503 UNAVAILABLE');
  expect(summary(await removePage(perch.url, '/faults/nats-hot'))).toBe('503 UNAVAILABLE');
  expect(summary(await readRaw(perch.url, '/faults/unknown'))).toBe('503 UNAVAILABLE');

  await nats.start();
  await untilReady(perch.url);
  expect(await readRaw(perch.url, '/faults/nats-hot')).toMatchObject({ status: 200, text: '<p>hot' });
  expect(summary(await readRaw(perch.url, '/faults/nats-meanwhile'))).toBe('404 NOT_FOUND');
  expect(summary(await createPage(perch.url, { id: 'nats-meanwhile', content: '<p>x' }))).toBe('201');
  expect(processesOf(perch)).toEqual(before);
});

test('NATS killed under 100 writes in flight: no acknowledged write is lost', async () => {
  const nats = serverOf(perch, 'nats');
  const verdict = await underFire([perch.url], 20, () => nats.kill().then(() => nats.start()));
  expect(verdict.faults).toEqual([]);
  expect(verdict).toMatchObject({ sent: 100, unanswered: 0 });
});
