import { expect, setDefaultTimeout, test } from 'bun:test';
import { useRunning } from '../started.ts';
import { createPage, readRaw, removePage, send, statusOf, summary, updatePage, viewsOf } from './client.ts';
import { serverOf, startOnOwnServers } from './own-servers.ts';
import { until, untilDown, untilReady } from './waiting.ts';

setDefaultTimeout(300_000);

// The regular sweep does not come in time: what the cache missed must be noticed.
const perch = useRunning(() => startOnOwnServers({ SWEEP_INTERVAL_SECONDS: '3600' }));

const READS = 3;

const reads = async (path: string, content: string): Promise<boolean> => {
  const seen = await readRaw(perch.url, path);
  return seen.answered && seen.status === 200 && seen.text === content;
};

/** Publishes pages, takes Redis away, changes them, brings it back, and compares. */
async function workWithoutRedis(
  name: string,
  takeAway: () => void | Promise<void>,
  bringBack: () => void | Promise<void>,
) {
  const path = (part: string) => `/faults/${name}-${part}`;
  for (const part of ['read', 'updated', 'removed']) {
    expect(summary(await createPage(perch.url, { id: `${name}-${part}`, content: `<p>${part}, old` }))).toBe(
      '201',
    );
    expect(await reads(path(part), `<p>${part}, old`)).toBe(true);
  }
  const viewsBefore = await viewsOf(perch.url, path('read'));

  await takeAway();
  await untilDown(perch.url, 'cache');
  // No request fails, so nothing else would raise an alarm.
  const metrics = await (await fetch(`${perch.url}/metrics`)).text();
  expect(metrics).toContain('dependency_up{dependency="cache",service="gateway"} 0');
  for (let read = 0; read < READS; read++) expect(await reads(path('read'), '<p>read, old')).toBe(true);
  expect(summary(await createPage(perch.url, { id: `${name}-new`, content: '<p>new' }))).toBe('201');
  expect(summary(await updatePage(perch.url, path('updated'), '<p>updated, new'))).toBe('200');
  expect(summary(await removePage(perch.url, path('removed')))).toBe('204');
  expect(await reads(path('new'), '<p>new')).toBe(true);
  expect(await reads(path('updated'), '<p>updated, new')).toBe(true);
  expect(statusOf(await readRaw(perch.url, path('removed')))).toBe(404);

  await bringBack();
  await untilReady(perch.url);
  await until('the update is seen', () => reads(path('updated'), '<p>updated, new'));
  await until('the removal is seen', async () => statusOf(await readRaw(perch.url, path('removed'))) === 404);
  for (let read = 0; read < 20; read++) {
    expect(await reads(path('updated'), '<p>updated, new')).toBe(true);
    expect(statusOf(await send(`${perch.url}${path('removed')}`))).toBe(404);
  }
  return { path, viewsBefore };
}

test('Redis killed: reads and writes go on, and what changed meanwhile is seen when it is back', async () => {
  const redis = serverOf(perch, 'redis');
  const { path, viewsBefore } = await workWithoutRedis('killed', redis.kill, redis.start);
  await until(
    'the views are added',
    async () => (await viewsOf(perch.url, path('read'))) === viewsBefore + READS,
  );
});

test('Redis frozen: the same, slower', async () => {
  const redis = serverOf(perch, 'redis');
  const { path, viewsBefore } = await workWithoutRedis('frozen', redis.pause, redis.resume);
  await until(
    'the views are added',
    async () => (await viewsOf(perch.url, path('read'))) >= viewsBefore + READS,
  );
  expect(await viewsOf(perch.url, path('read'))).toBe(viewsBefore + READS);
});

test('Redis killed while a removed item is created again: its owner can change it as soon as Redis is back', async () => {
  const redis = serverOf(perch, 'redis');
  const id = 'taken-again';
  const path = `/faults/${id}`;
  expect(summary(await createPage(perch.url, { id, content: '<p>first' }))).toBe('201');
  expect(summary(await removePage(perch.url, path))).toBe('204');
  // Redis writes to its disk once a second.
  await Bun.sleep(1_500);
  await redis.kill();
  expect(summary(await createPage(perch.url, { id, content: '<p>second' }))).toBe('201');
  await redis.start();
  // Redis only knows that the item was removed, until it is told again.
  await untilReady(perch.url);
  expect(summary(await updatePage(perch.url, path, '<p>third'))).toBe('200');
  await until('readers see it', () => reads(path, '<p>third'));
});
