import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildClient } from '../../clients/build.ts';
import { TYPES_FILE, typesOf } from '../../clients/js/generate/types-of.ts';
import { clientInstance } from './instance.ts';

const ROOT = join(import.meta.dirname, '../..');

let folder: string;

/** Somebody's project that has the built package among its modules. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-client-'));
  const installed = join(folder, 'node_modules/perch-client');
  await mkdir(installed, { recursive: true });
  await buildClient(join(installed, 'dist'));
  await symlink(join(ROOT, 'clients/js/package.json'), join(installed, 'package.json'));
  await Bun.write(join(folder, 'package.json'), '{"type":"module"}');
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(command: string[]): Promise<{ code: number; out: string }> {
  const child = Bun.spawn(command, { cwd: folder, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out: out + err };
}

test('the types are those of the interface document: if not, run `npm run clients:types`', async () => {
  const { url } = await clientInstance();
  const document: unknown = await (await fetch(`${url}/docs/json`)).json();
  expect((await Bun.file(TYPES_FILE).text()) === (await typesOf(document))).toBe(true);
});

test('the built module runs in Node.js', async () => {
  const { url } = await clientInstance();
  await Bun.write(
    join(folder, 'publish.js'),
    `import { openAsBlob } from 'node:fs';
     import { Perch, PerchError } from 'perch-client';
     const perch = new Perch({ url: process.argv[2] });
     const page = await perch.pages.create('# From Node', { contentType: 'text/markdown' });
     const file = await perch.files.create(await openAsBlob(process.argv[3]), { filename: 'a.txt' });
     const code = await perch.pages.update({ ...page, ownerToken: 'x'.repeat(20) }, 'y').catch((e) => e instanceof PerchError && e.code);
     console.log(page.title, file.sizeBytes, code);`,
  );
  const text = join(folder, 'large.txt');
  await Bun.write(text, 'text '.repeat(100_000));
  expect(await run(['node', 'publish.js', url, text])).toEqual({
    code: 0,
    out: 'From Node 500000 OWNER_TOKEN_WRONG\n',
  });
});

test('in Node.js a large upload takes no memory but that of its chunks', async () => {
  using sink = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      let bytes = 0;
      for await (const chunk of request.body ?? []) bytes += chunk.byteLength;
      return Response.json({ bytes });
    },
  });
  await Bun.write(
    join(folder, 'large.js'),
    `import { openAsBlob } from 'node:fs';
     import { Perch } from 'perch-client';
     const content = await openAsBlob(process.argv[3]);
     const files = Array.from({ length: 20 }, (_, n) => ({ path: n + '.bin', content }));
     const before = process.memoryUsage().rss;
     let peak = 0;
     const onProgress = () => { peak = Math.max(peak, process.memoryUsage.rss()); };
     const { bytes } = await new Perch({ url: process.argv[2] }).sites.create(files, { onProgress });
     console.log(JSON.stringify({ bytes, grown: peak - before }));`,
  );
  const file = join(folder, 'large.bin');
  await Bun.write(file, new Uint8Array(5_000_000));
  const { out } = await run(['node', 'large.js', sink.url.href, file]);
  const { bytes, grown } = JSON.parse(out) as { bytes: number; grown: number };
  expect(bytes).toBeGreaterThan(100_000_000);
  expect(grown).toBeLessThan(60_000_000);
});

test('its types hold for a project without anything else', async () => {
  const lines = [
    `import { type ErrorCode, Perch } from 'perch-client';`,
    `const page = await new Perch({ url: '' }).pages.create('', { ttl: 3 });`,
    'export const days: number = page.ttlDays;',
    '// @ts-expect-error: an address is no number',
    'export const wrong: number = page.url;',
    `export const code: ErrorCode = 'NOT_FOUND';`,
    '// @ts-expect-error: no such code',
    `export const noCode: ErrorCode = 'NOT_FOUNDD';`,
    '// @ts-expect-error: no such option',
    `await new Perch({ url: '' }).pages.create('', { tll: 3 });`,
  ];
  await Bun.write(join(folder, 'uses.ts'), lines.join('\n'));
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  const options = [
    '--noEmit',
    '--strict',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--lib',
    'esnext,dom',
  ];
  expect(await run([compiler, ...options, 'uses.ts'])).toEqual({ code: 0, out: '' });
});
