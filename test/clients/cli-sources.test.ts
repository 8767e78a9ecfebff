import { expect, test } from 'bun:test';
import { useStarted } from '../started.ts';
import { newUser, readText } from './command.ts';
import { clientInstance } from './instance.ts';

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
