import { expect, test } from 'bun:test';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { useStarted } from '../started.ts';
import { newUser, OBEYING_RIGHTS, readText } from './command.ts';
import { clientInstance } from './instance.ts';
import { startMeddling } from './meddling-proxy.ts';

useStarted(clientInstance);

test('what a pipe or a file of the kernel gives is published, and a pipe with nothing in it is refused', async () => {
  await using user = await newUser();
  await user.write('a.pdf', '%PDF-1.4\none');
  await user.write('b.pdf', '%PDF-1.4\ntwo');
  const url = await user.ok(['publish', 'a.pdf']);
  const [runtime = '', perch = ''] = await user.command();
  const update = async (from: string): Promise<number> => {
    const script = `"$1" "$2" update "$3" ${from}`;
    const shell = Bun.spawn(['bash', '-c', script, '-', runtime, perch, url], {
      cwd: user.folder,
      env: user.env,
      stdout: 'ignore',
      stderr: 'ignore',
    });
    return shell.exited;
  };
  expect(await update('<(cat b.pdf)')).toBe(0);
  expect(await readText(url)).toBe('%PDF-1.4\ntwo');
  expect(await update('<(true)')).toBe(2);
  expect(await update('/dev/stdin < <(cat a.pdf)')).toBe(0);
  expect(await readText(url)).toBe('%PDF-1.4\none');
  const version = await user.ok(['publish', '/proc/version']);
  expect(await readText(`${version}?raw=true`)).toBe(await Bun.file('/proc/version').text());
});

test('where a path was published is kept although nobody reads what is printed, or the disk for it is full', async () => {
  await using user = await newUser();
  const command = (await user.command()).map((word) => `'${word}'`).join(' ');
  const shell = async (script: string) => {
    const child = Bun.spawn(['bash', '-c', `set -o pipefail; ${script}`], {
      cwd: user.folder,
      env: user.env,
      stdout: 'ignore',
      stderr: 'pipe',
    });
    return { err: await child.stderr.text(), code: await child.exited };
  };
  for (const [name, to, expected] of [
    ['a.md', '| true', { code: 0, err: expect.not.stringContaining('perch:') }],
    ['b.md', '> /dev/full', { code: 1, err: expect.stringContaining('no space') }],
  ] as const) {
    await user.write(name, '# One');
    expect(await shell(`${command} publish ${name} ${to}`)).toEqual(expected);
    await user.write(name, '# Two');
    await user.ok(['publish', name]);
  }
  expect(JSON.parse(await user.ok(['ls', '--json']))).toHaveLength(2);
});

test('a large upload that is refused ends the command in Node.js', async () => {
  await using user = await newUser();
  await user.write('large.txt', 'text '.repeat(4_000_000));
  const refused = await user.run(['publish', 'large.txt', '--ttl', '99'], { runtime: 'node' });
  expect(refused).toMatchObject({ code: 5, err: expect.stringContaining('ttl') });
});

test('files with the names of what every object has are published, and updated at their addresses', async () => {
  await using user = await newUser();
  for (const name of ['constructor', 'toString', '__proto__']) {
    await user.write(name, 'one');
    const url = await user.ok(['publish', name]);
    expect(await user.ok(['publish', name])).toBe(url);
    await user.ok(['rm', name]);
    expect((await fetch(url)).status).toBe(410);
  }
});

test('a folder in place of the file of a page is refused with what to do', async () => {
  await using user = await newUser();
  await user.write('a.md', '# Hello');
  await user.write('site/index.html', '<h1>Site</h1>');
  await user.ok(['publish', 'a.md']);
  for (const args of [
    ['update', 'a.md', 'site'],
    ['publish', 'site', '--kind', 'html'],
  ])
    expect(await user.run(args)).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining(
        'site is a folder, which only becomes a site. Give one file, or publish the folder: perch publish site',
      ),
    });
});

test('a record without what it needs is damaged, and nothing is published', async () => {
  await using user = await newUser();
  await user.write('a.md', '# Hello');
  for (const record of [{ kind: 'html', namespace: 'public' }, null, 'public/a']) {
    await user.write('.perch.json', JSON.stringify({ [user.url]: { 'a.md': record } }));
    expect(await user.run(['publish', 'a.md'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('.perch.json is damaged'),
    });
  }
});

test.each(['node', process.execPath])(
  'what may not be read, or is a folder, is named with the reason, and nothing is published: %s',
  async (runtime) => {
    await using user = await newUser();
    for (const path of ['a.md', 'a.json', 'a.pdf', 'site/index.html', 'site/sub/b.html', 'shut/c.md'])
      await user.write(path, '# Hello');
    await user.ok(['publish', '-', '--id', `cli-unread-${crypto.randomUUID().slice(0, 8)}`], { stdin: 'x' });
    const run = (...args: string[]) => user.run(args, { runtime, before: OBEYING_RIGHTS });
    for (const [path, from] of [
      ['a.md', 'a.md'],
      ['a.json', 'a.json'],
      ['a.pdf', 'a.pdf'],
      ['site', 'site/index.html'],
      ['site', 'site/sub/'],
      ['shut/c.md', 'shut'],
    ] as const) {
      await chmod(join(user.folder, from), 0);
      const { code, out, err } = await run('publish', path);
      await chmod(join(user.folder, from), 0o700);
      expect({ path, from, code, out }).toEqual({ path, from, code: 2, out: '' });
      expect(err).toContain(`${from === 'shut' ? path : from} cannot be read: you may not read it`);
    }
    await mkdir(join(user.folder, '.perch.json'));
    expect(await run('publish', 'a.md')).toMatchObject({
      code: 1,
      err: expect.stringContaining('.perch.json cannot be read: it is a folder'),
    });
    expect(JSON.parse(await user.ok(['ls', '--json']))).toHaveLength(1);
  },
);

test.each(['node', process.execPath])(
  'a file that is gone or has changed before it was sent is named, and the server is not blamed: %s',
  async (runtime) => {
    for (const [path, lost, text] of [
      ['a.md', 'a.md', '# Small'],
      ['large.md', 'large.md', 'text '.repeat(40_000)],
      ['a.json', 'a.json', '{}'],
      ['a.pdf', 'a.pdf', '%PDF-1.4\none'],
      ['site', 'site/sub/large.html', 'text '.repeat(40_000)],
    ] as const) {
      await using user = await newUser();
      await user.write('site/index.html', 'x');
      await user.write(lost, text);
      using proxy = startRemoving(user.url, join(user.folder, lost));
      expect(await user.run(['publish', path, '--url', proxy.url.origin], { runtime })).toEqual({
        code: 1,
        out: '',
        err: expect.stringContaining(`${lost} cannot be read: it is gone`),
      });
      expect(await user.ok(['ls'])).toBe('');
    }
  },
);

/** Stands in front of a Perch, and removes a file when an owner token is asked for: the command has looked at it by then. */
const startRemoving = (target: string, file: string) =>
  startMeddling(target, async ({ path }) => {
    if (path === '/api/owner') await rm(file);
  });
