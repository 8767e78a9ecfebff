import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { resolve } from 'node:path';
import { readOptions } from '../../infra/demo/options.ts';
import { ownEnvironment } from '../../infra/environment.ts';
import { freePort } from '../../infra/servers/port.ts';
import { jsonOf } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { KINDS } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

setDefaultTimeout(60_000);

const SCRIPT = resolve(import.meta.dirname, '../../infra/demo/run.ts');

/** Starts `npm run demo`. */
function startDemo(...args: string[]) {
  return Bun.spawn([process.execPath, SCRIPT, ...args], {
    env: ownEnvironment(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
}

async function runDemo(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const demo = startDemo(...args);
  const [output, errors] = await Promise.all([demo.stdout.text(), demo.stderr.text()]);
  return { code: await demo.exited, output, errors };
}

interface Listed {
  type: string;
  title: string;
}

describe('a Perch that takes everything', () => {
  const perch = usePerch();

  async function readGallery(): Promise<{ items: Listed[]; total: number }> {
    return await jsonOf(await perch.request('/api/gallery', { query: { size: '100' } }));
  }

  test('publishes items of every kind and uses them; once more does the same again', async () => {
    const args = ['--url', `${perch.url}/`, '--items', '20', '--seconds', '1', '--seed', '7'];
    const first = await runDemo(...args);
    expect(first).toMatchObject({ code: 0, errors: '' });
    expect(first.output).toContain('20 items published');
    expect(first.output).toMatch(/publishing: 5 of 20 items\n(?:.*\n)*publishing: 20 of 20 items\n/);
    expect(first.output).not.toContain('rate limit');
    const gallery = await readGallery();
    expect([...new Set(gallery.items.map(({ type }) => type))].sort()).toEqual(
      KINDS.map(({ name }) => name).sort(),
    );
    for (const { title } of gallery.items) expect(title).toMatch(/^\S.* ?.*\S$/);

    const [, token = ''] = /owner token {2}(own_\S+)/.exec(first.output) ?? [];
    const owned = await perch.request('/api/owner/items', { headers: { 'X-Owner-Token': token } });
    expect(await jsonOf(owned)).toMatchObject({ total: 20 });

    const second = await runDemo(...args);
    expect(second).toMatchObject({ code: 0, errors: '' });
    const twice = await readGallery();
    expect(twice.total).toBe(2 * gallery.total);
    const titles = (items: Listed[]) => items.map(({ type, title }) => `${type} ${title}`).sort();
    expect(titles(twice.items)).toEqual(titles([...gallery.items, ...gallery.items]));
  });

  test('stops on Ctrl-C', async () => {
    const demo = startDemo('--url', perch.url, '--items', '5', '--seconds', '3600');
    const reader = demo.stdout.getReader();
    const decoder = new TextDecoder();
    let output = '';
    await eventually(async () => {
      output += decoder.decode((await reader.read()).value);
      return output.includes('5 of 5 items');
    });
    demo.kill('SIGINT');
    for (let part = await reader.read(); !part.done; part = await reader.read())
      output += decoder.decode(part.value);
    expect(output).toEndWith('Stopped. What was published stays until its time is over.\n');
    expect([await demo.exited, await demo.stderr.text()]).toEqual([130, '']);
  });
});

describe('a Perch that takes twelve uploads an hour', () => {
  const perch = usePerch({ env: { LIMIT_UPLOADS_PER_HOUR: '12' } });

  test('says what to do about a rate limit: before it publishes anything, and when others have used it up', async () => {
    const early = await runDemo('--url', perch.url, '--items', '8', '--seconds', '0');
    expect([early.code, early.output]).toEqual([1, '']);
    expect(early.errors).toContain('takes 11 more uploads');
    expect(early.errors).toContain('LIMIT_UPLOADS_PER_HOUR=0');
    const enough = await runDemo('--url', perch.url, '--items', '6', '--seconds', '0');
    expect(enough).toMatchObject({ code: 0, errors: '' });
    for (let left = 4; left > 0; left--) await perch.request('/api/owner', { method: 'POST' });
    const late = await runDemo('--url', perch.url, '--items', '5');
    expect([late.code, late.output]).toEqual([1, '']);
    expect(late.errors).toMatch(/^The rate limit stopped the demo\. .*LIMIT_UPLOADS_PER_HOUR=0.*\n$/);
  });
});

test('says what to do where nothing answers', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { code, output, errors } = await runDemo('--url', url);
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(
    /^No Perch answers at http:\/\/127\.0\.0\.1:\d+ \(.+\)\. Start one with npm start.*\n$/,
  );
});

const defaults = { url: 'http://localhost:8080', items: 120, seconds: 20, seed: 1 };

test.each([
  [[], defaults],
  [['--items', '5', '--seconds', '0', '--seed', '0'], { ...defaults, items: 5, seconds: 0, seed: 0 }],
  [['--items', '2000', '--seconds', '3600'], { ...defaults, items: 2_000, seconds: 3_600 }],
  [
    ['--url', 'https://perch.example/', '--seed', '4294967295'],
    { ...defaults, url: 'https://perch.example', seed: 4_294_967_295 },
  ],
])('the command line %j is understood', (args, wanted) => {
  expect(readOptions(args)).toEqual(wanted);
});

test.each([
  ['--items', '4'],
  ['--items', '2001'],
  ['--items', '-1'],
  ['--items', 'many'],
  ['--seconds', '3601'],
  ['--seconds', '-1'],
  ['--seconds', '1.5'],
  ['--seed', '4294967296'],
  ['--url', 'perch'],
  ['--url', 'ftp://perch.example'],
  ['--colour', 'red'],
])('%s %s is no command line', (option, value) => {
  expect(readOptions([option, value])).toBeNull();
});

test('a wrong command line ends with 2 and says what is possible', async () => {
  const { code, output, errors } = await runDemo('--items', '4');
  expect([code, output]).toEqual([2, '']);
  expect(errors).toStartWith('npm run demo -- [--url');
});
