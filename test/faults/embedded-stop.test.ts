import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { startClamdStandIn } from '../contracts/scanner/clamd-stand-in.ts';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';
import { createPage, readRaw, statusOf, summary, viewsOf } from './client.ts';
import { databaseServerOf, embeddedOf } from './embedded-process.ts';
import { until } from './waiting.ts';

setDefaultTimeout(120_000);

const clamd = startClamdStandIn();
const perch = useRunning(() => startInstance({ mode: 'embedded', env: { CLAMD_URL: clamd.url } }));

const READS = 3;

test('a stop while a scan is without an answer closes all there is, and keeps the views', async () => {
  const embedded = embeddedOf(perch);
  expect(summary(await createPage(perch.url, { id: 'read', content: '<p>read' }))).toBe('201');
  // From now on it takes contents and says nothing about them.
  clamd.verdict = null;
  // The create does not wait for the scanner for ever: this page is looked through in the background.
  expect(summary(await createPage(perch.url, { id: 'unscanned', content: '<p>wait' }))).toBe('201');
  await until('the background waits for the scanner', async () => clamd.waiting === 1);
  for (let read = 0; read < READS; read++)
    expect(statusOf(await readRaw(perch.url, '/faults/read'))).toBe(200);
  await embedded.stop();
  const log = (await Promise.all(perch.logFiles.map((file) => readFile(file, 'utf8')))).join('\n');
  expect(log).toContain('"msg":"a stop cuts off a sweep"');
  expect(log).toContain('"msg":"stopped"');
  expect(await databaseServerOf(perch)).toBeNull();
  await embedded.start();
  expect(await viewsOf(perch.url, '/faults/read')).toBe(READS);
});
