import { expect, setDefaultTimeout, test } from 'bun:test';
import { useStarted } from '../started.ts';
import { auditBlobs } from './blob-audit.ts';
import { createPage, readRaw, removePage, summary, updatePage } from './client.ts';
import { processesOf, serverOf, sharedOnOwnServers } from './own-servers.ts';
import { untilDown, untilReady } from './waiting.ts';
import { underFire } from './workload.ts';

// A hundred writes, and the blobs of those that failed: half a minute, and several where suites share two cores.
setDefaultTimeout(300_000);

const perch = useStarted(sharedOnOwnServers);

test('S3 killed: writes are refused whole, cached pages go on, and it recovers by itself', async () => {
  const s3 = serverOf(perch, 's3');
  const before = processesOf(perch);
  for (const id of ['hot', 'cold', 'removed']) {
    const type = id === 'cold' ? 'text/markdown' : 'text/html';
    expect(summary(await createPage(perch.url, { id, type, content: `<p>${id}` }))).toBe('201');
  }
  expect(summary(await readRaw(perch.url, '/faults/hot'))).toBe('200');

  await s3.kill();
  await untilDown(perch.url, 'blobs');
  expect(summary(await createPage(perch.url, { id: 'meanwhile', content: '<p>x' }))).toBe('503 UNAVAILABLE');
  expect(summary(await readRaw(perch.url, '/faults/meanwhile'))).toBe('404 NOT_FOUND');
  expect(summary(await updatePage(perch.url, '/faults/hot', '<p>x'))).toBe('503 UNAVAILABLE');
  expect(await readRaw(perch.url, '/faults/hot')).toMatchObject({ status: 200, text: '<p>hot' });
  expect(summary(await readRaw(perch.url, '/faults/cold'))).toBe('503 UNAVAILABLE');
  expect(summary(await removePage(perch.url, '/faults/removed'))).toBe('204');

  await s3.start();
  await untilReady(perch.url);
  expect(await readRaw(perch.url, '/faults/cold')).toMatchObject({ status: 200, text: '<p>cold' });
  expect(await readRaw(perch.url, '/faults/hot')).toMatchObject({ status: 200, text: '<p>hot' });
  expect(summary(await readRaw(perch.url, '/faults/removed'))).toBe('404 NOT_FOUND');
  expect(summary(await createPage(perch.url, { id: 'meanwhile', content: '<p>x' }))).toBe('201');
  expect(processesOf(perch)).toEqual(before);
});

test('S3 killed under 100 writes in flight: no acknowledged write is lost, no blob left behind', async () => {
  const s3 = serverOf(perch, 's3');
  const verdict = await underFire([perch.url], 20, () => s3.kill().then(() => s3.start()));
  expect(verdict.faults).toEqual([]);
  expect(verdict).toMatchObject({ sent: 100, unanswered: 0 });
  expect(await auditBlobs(perch)).toMatchObject({ orphans: [], missing: [] });
});
