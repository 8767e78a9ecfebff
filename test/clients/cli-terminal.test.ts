import { expect, test } from 'bun:test';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { useStarted } from '../started.ts';
import { newUser, readText, type User } from './command.ts';
import { clientInstance } from './instance.ts';

useStarted(clientInstance);

/** Waits until an address has this text. */
async function untilText(url: string, text: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; (await readText(url)) !== text; ) {
    if (Date.now() > deadline) throw new Error(`${url} never became "${text}"`);
    await Bun.sleep(30);
  }
}

/** `perch publish --watch` of a path, once it has printed the address. */
async function startWatch(user: User, args: string[], runtime?: string) {
  const child = Bun.spawn([...(await user.command(runtime)), 'publish', '--watch', ...args], {
    cwd: user.folder,
    env: user.env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 50_000,
  });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  return { child, url: ((await lines.read()).value ?? '').trim() };
}

test('--watch publishes a folder again at each change, goes on after an error, and ends with Ctrl-C', async () => {
  await using user = await newUser();
  await user.write('site/index.html', 'one');
  const { child, url: address } = await startWatch(user, ['site']);
  const url = `${address}/`;
  await user.write('site/a/b/new.txt', 'new');
  await untilText(`${url}a/b/new.txt`, 'new');
  await rm(join(user.folder, 'site/index.html'));
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  while (!(await errors.read()).value?.includes('VALIDATION_FAILED'));
  // An editor puts a new file in the place of the old one.
  await user.write('site/.index.tmp', 'two');
  await rename(join(user.folder, 'site/.index.tmp'), join(user.folder, 'site/index.html'));
  await untilText(url, 'two');
  child.kill('SIGINT');
  expect(await child.exited).toBe(0);
  expect((await user.run(['publish', 'missing', '--watch'])).code).toBe(2);
});

test('--watch gives title, tags and days once: a later change neither counts the days anew nor is refused', async () => {
  await using user = await newUser();
  await user.write('site/index.html', 'one');
  await user.write('a.json', '1');
  const site = await startWatch(user, ['site', '--ttl', '9', '--tag', 'first']);
  const json = await startWatch(user, ['a.json', '--title', 'Counts']);
  await user.ok(['renew', 'site', '--ttl', '4']);
  await user.write('site/index.html', 'two');
  await user.write('a.json', '2');
  await untilText(`${site.url}/`, 'two');
  await untilText(json.url, '2');
  for (const { child } of [site, json]) child.kill('SIGINT');
  expect([await site.child.exited, await json.child.exited]).toEqual([0, 0]);
  const items = JSON.parse(await user.ok(['ls', '--json'])) as Array<{ type: string; ttlDays: number }>;
  expect(items.find(({ type }) => type === 'site')).toMatchObject({ ttlDays: 4, tags: ['first'] });
  expect(items.find(({ type }) => type === 'json')).toMatchObject({ title: 'Counts' });
});

test.each(['node', process.execPath])(
  '--watch goes on at its address when a build removes the folder and makes it anew: %s',
  async (runtime) => {
    await using user = await newUser();
    await user.write('dist/index.html', 'one');
    const { child, url } = await startWatch(user, ['dist'], runtime);
    await rm(join(user.folder, 'dist'), { recursive: true });
    // Longer than the quiet that a change waits for.
    await Bun.sleep(500);
    await user.write('dist/index.html', 'two');
    await untilText(`${url}/`, 'two');
    await rm(join(user.folder, 'dist'), { recursive: true });
    await user.write('dist/index.html', 'three');
    await user.write('dist/a/b.html', 'b');
    await untilText(`${url}/`, 'three');
    await untilText(`${url}/a/b.html`, 'b');
    child.kill('SIGINT');
    expect([await child.exited, await child.stderr.text()]).toEqual([
      0,
      expect.not.stringContaining('There is no file'),
    ]);
    expect(await user.ok(['publish', 'dist'])).toBe(url);
  },
);

test('an upload draws its progress on a terminal, and only there', async () => {
  await using user = await newUser();
  await user.write('large.txt', 'text '.repeat(400_000));
  let seen = '';
  const decoder = new TextDecoder();
  const child = Bun.spawn([...(await user.command()), 'publish', 'large.txt', '--kind', 'file'], {
    cwd: user.folder,
    env: user.env,
    terminal: {
      cols: 80,
      rows: 24,
      data: (_, chunk) => {
        seen += decoder.decode(chunk, { stream: true });
      },
    },
  });
  expect(await child.exited).toBe(0);
  while (!seen.includes('published')) await Bun.sleep(10);
  expect(seen).toMatch(/uploading \[#+\] 100% of 1\.9 MB/);
  expect((await user.run(['publish', 'large.txt', '--kind', 'file'])).err).not.toContain('uploading');
});
