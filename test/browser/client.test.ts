import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildClient } from '../../clients/build.ts';
import { startInstance } from '../instance.ts';
import { useRunning, useStarted } from '../started.ts';
import { inPage, useBrowser } from './browser.ts';

const visit = useBrowser();
const perch = useRunning(() => startInstance({ mode: 'embedded', joined: true }));

/** Somebody's own site, which has the client among its scripts. */
const site = useStarted(
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'perch-client-'));
    await buildClient(folder);
    const page = new Response('<!doctype html><title>Mine</title>', {
      headers: { 'Content-Type': 'text/html' },
    });
    const moved = () => new Response(null, { status: 302, headers: { Location: `${perch.url}/api/html` } });
    const routes = {
      '/': page,
      '/moved/api/html': moved,
      '/perch-client.js': new Response(Bun.file(join(folder, 'index.js'))),
    };
    return { folder, server: Bun.serve({ port: 0, hostname: '127.0.0.1', routes }) };
  },
  async ({ folder, server }) => {
    await server.stop(true);
    await rm(folder, { recursive: true });
  },
);

const SCRIPT = (url: string): string => `(async () => {
  const { Perch } = await import('/perch-client.js');
  const anybody = new Perch({ url: ${JSON.stringify(url)} });
  const page = await anybody.pages.create('# From a browser', { contentType: 'text/markdown' });
  await anybody.pages.update(page, '# Changed');
  const { ownerToken } = page;
  const large = new File([new Uint8Array(1_000_000).fill(65)], 'large.txt');
  const file = await anybody.files.create(large, { ownerToken });
  const streamed = await anybody.files.create(new Blob(['streamed']).stream(), { ownerToken, filename: 's.txt' });
  const store = await anybody.kv.create('key', 1, { ownerToken });
  const { value: { value } } = await anybody.kv.watch(store, 'key').next();
  const error = await anybody.pages.read({ namespace: 'public', id: 'nowhere' }).catch((error) => error);
  return [
    await anybody.pages.read(page), file.sizeBytes, streamed.sizeBytes, value, error.code, error.requestId.length > 0,
    await anybody.resolveCode(page.shortUrl.split('/').at(-1)) === page.url,
    (await anybody.items({ ownerToken })).total,
  ];
})()`;

test('a redirect of a change is refused in a browser as well', async () => {
  const { page } = await visit();
  await page.goto(site.server.url.href);
  const script = `(async () => {
    const { Perch } = await import('/perch-client.js');
    const change = new Perch({ url: location.origin + '/moved' }).pages.create('# Lost');
    return await change.then(() => 'published', (error) => [error.name, error.message]);
  })()`;
  expect(await inPage<unknown>(page, script)).toEqual([
    ...['PerchError', 'This server leads to another address: use that address.'],
  ]);
});

test('the client publishes, uploads, reads and watches from a page of another origin', async () => {
  const { page, complaints } = await visit();
  await page.goto(site.server.url.href);
  const result = await inPage<unknown[]>(page, SCRIPT(perch.url));
  expect(result).toEqual(['# Changed', 1_000_000, 8, 1, 'NOT_FOUND', true, true, 4]);
  expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
});
