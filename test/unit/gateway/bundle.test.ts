import { expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LANGUAGES } from '../../../services/gateway/http/language.ts';
import { bundleScripts } from '../../../services/gateway/web/scripts.ts';

const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test('each page has a script in each language, equal whenever it is made', async () => {
  const [made, again] = [await bundleScripts(), await bundleScripts()];
  expect(made.map(({ name }) => name)).toContain('home.de.js');
  expect(made.length % LANGUAGES.length).toBe(0);
  expect(again).toEqual(made);
});

test('a script has the texts of its language, and no import that it does not have in it', async () => {
  const scripts = new Map((await bundleScripts()).map(({ name, bytes }) => [name, textOf(bytes)]));
  expect(scripts.get('home.en.js')).toContain('Uploading');
  expect(scripts.get('home.en.js')).not.toContain('Wird hochgeladen');
  expect(scripts.get('home.de.js')).toContain('Wird hochgeladen');
  const scanner = new Bun.Transpiler({ loader: 'js' });
  for (const text of scripts.values()) expect(scanner.scanImports(text)).toEqual([]);
});

test('a script has no texts that only other scripts need', async () => {
  const scripts = new Map((await bundleScripts()).map(({ name, bytes }) => [name, textOf(bytes)]));
  for (const name of ['gallery.en.js', 'stats.en.js', 'console.en.js'])
    expect([name, scripts.get(name)?.includes('Uploading')]).toEqual([name, false]);
  expect(scripts.get('mine.en.js')).toContain('Owner token');
  expect(scripts.get('stats.en.js')).not.toContain('Owner token');
});

test('no script is larger than a page may load, compressed', async () => {
  for (const { name, bytes } of await bundleScripts()) {
    const size = Bun.gzipSync(new Uint8Array(bytes)).length;
    expect([name, size < 100_000]).toEqual([name, true]);
  }
});

test('a fault in browser code ends the start, and says where it is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'perch-bundle-'));
  try {
    await Bun.write(join(folder, 'page.ts'), "import './missing.ts';\n");
    const fault = await bundleScripts(folder).catch((error: unknown) => error);
    expect(Bun.inspect(fault)).toContain('missing.ts');
  } finally {
    await rm(folder, { recursive: true });
  }
});
