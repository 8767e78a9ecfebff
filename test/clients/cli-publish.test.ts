import { expect, test } from 'bun:test';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { useStarted } from '../started.ts';
import { newUser, readText } from './command.ts';
import { clientInstance } from './instance.ts';

useStarted(clientInstance);

test('a page: the same path again is an update of the same address, with --new it is another one', async () => {
  await using user = await newUser();
  await user.write('a.md', '# Hello');
  const url = await user.ok(['publish', 'a.md', '--tag', 'one', '--tag', 'two', '--ttl', '3']);
  expect(await readText(`${url}?raw=true`)).toBe('# Hello');
  await user.write('a.md', '# Again');
  expect(await user.ok(['publish', 'a.md'])).toBe(url);
  expect(await readText(`${url}?raw=true`)).toBe('# Again');
  await user.write('a.md', '# New');
  expect(await user.ok(['publish', 'a.md', '--new'])).not.toBe(url);
  const [, first] = JSON.parse(await user.ok(['ls', '--json'])) as Array<{ tags: string[]; ttlDays: number }>;
  expect(first).toMatchObject({ tags: ['one', 'two'], ttlDays: 3 });
});

test('what an update cannot change is said, and nothing is changed', async () => {
  await using user = await newUser();
  await user.write('a.md', '# Hello');
  const url = await user.ok(['publish', 'a.md']);
  await user.write('a.md', '# Again');
  for (const option of [
    ['--ttl', '4'],
    ['--password', 'x'],
    ['--id', 'other'],
    ['--kind', 'file'],
    ['--watch', '--password', 'x'],
    ['--watch', '--tag', 'x'],
  ]) {
    const { code, err } = await user.run(['publish', 'a.md', ...option]);
    expect(code).toBe(2);
    expect(err).toContain('--new');
  }
  expect(await readText(`${url}?raw=true`)).toBe('# Hello');
});

test('a page is asked for by either of its names', async () => {
  await using user = await newUser();
  for (const kind of ['page', 'html']) {
    await user.ok(['publish', '-', '--kind', kind], { stdin: '{"a": 1}' });
    const [listed] = JSON.parse(await user.ok(['ls', '--json'])) as Array<{ type: string }>;
    expect(listed).toMatchObject({ type: 'html' });
  }
});

test('what was removed, or has expired, comes back at its address', async () => {
  await using user = await newUser();
  await user.write('a.md', '# Hello');
  const url = await user.ok(['publish', 'a.md']);
  const path = new URL(url).pathname.slice(1);
  await user.ok(['rm', path]);
  expect((await fetch(url)).status).toBe(410);
  expect(await user.ok(['publish', 'a.md'])).toBe(url);
  expect((await fetch(url)).status).toBe(200);
});

test('a folder is a site without what .perchignore names, hidden files, modules and links; get brings it back', async () => {
  await using user = await newUser();
  await user.write('site/index.html', '<h1>Site</h1>');
  await user.write('site/css/main.css', 'p {}');
  await user.write('site/css/draft.css', 'draft');
  await user.write('site/notes/keep.txt', 'kept');
  await user.write('site/notes/todo.txt', 'left out');
  await user.write('site/.env', 'SECRET');
  await user.write('site/node_modules/x/index.js', 'x');
  await user.write('site/.perchignore', 'draft.*\nnotes/*\n');
  await user.write('site/notes/.perchignore', '!keep.txt\n');
  await user.write('secret.txt', 'outside');
  await symlink(join(user.folder, 'secret.txt'), join(user.folder, 'site/linked.txt'));
  const { out, err } = await user.run(['publish', 'site']);
  expect(err).toContain('left out linked.txt');
  const url = out.trim();
  expect(await readText(`${url}/`)).toBe('<h1>Site</h1>');
  await user.ok(['get', 'site', '-o', 'copy']);
  const copied = (await readdir(join(user.folder, 'copy'), { recursive: true })).toSorted();
  expect(copied).toEqual(['css', 'css/main.css', 'index.html', 'notes', 'notes/keep.txt']);
  await user.write('site/index.html', '<h1>Second</h1>');
  expect(await user.ok(['publish', 'site'])).toBe(url);
  expect(await readText(`${url}/`)).toBe('<h1>Second</h1>');
  expect((await user.run(['get', 'site', '-o', 'copy'])).code).toBe(2);
});

test('stdin, and the kind by content', async () => {
  await using user = await newUser();
  const kinds: Array<[input: string, args: string[], kind: string, contentType: string]> = [
    ['# Text', ['--name', 'x.md'], 'html', 'text/html'],
    ['<h1>Page</h1>', [], 'html', 'text/html'],
    ['{"a": 1}', [], 'json', 'application/json'],
    ['{not json', [], 'html', 'text/html'],
    ['<svg xmlns="http://www.w3.org/2000/svg"/>', ['--name', 'x.svg'], 'file', 'image/svg+xml'],
    ['%PDF-1.4\n', [], 'file', 'application/pdf'],
  ];
  for (const [stdin, args, kind, contentType] of kinds) {
    const { url } = JSON.parse(await user.ok(['publish', '-', '--json', ...args], { stdin })) as {
      url: string;
    };
    expect((await fetch(url)).headers.get('Content-Type')).toStartWith(contentType);
    const [newest] = JSON.parse(await user.ok(['ls', '--json'])) as Array<{ type: string }>;
    expect(newest?.type).toBe(kind);
  }
  expect(await user.run(['publish', '-'])).toMatchObject({ code: 2, err: expect.stringContaining('stdin') });
});

test('a file, which cannot be changed, is made anew at its address with its tags', async () => {
  await using user = await newUser();
  await user.write('a.pdf', '%PDF-1.4\none');
  const url = await user.ok(['publish', 'a.pdf', '--tag', 'kept', '--ttl', '5']);
  await user.write('a.pdf', '%PDF-1.4\ntwo');
  expect(await user.ok(['publish', 'a.pdf'])).toBe(url);
  expect(await readText(url)).toBe('%PDF-1.4\ntwo');
  const [file] = JSON.parse(await user.ok(['ls', '--json'])) as Array<{ tags: string[]; ttlDays: number }>;
  expect(file).toMatchObject({ tags: ['kept'], ttlDays: 5 });
});

test('a file stays when its new content is refused', async () => {
  await using user = await newUser();
  await user.write('a.pdf', '%PDF-1.4\none');
  const url = await user.ok(['publish', 'a.pdf', '--tag', 'kept']);
  await user.write('a.pdf', `%PDF-1.4\n${'x'.repeat(6 * 1_048_576)}`);
  expect((await user.run(['publish', 'a.pdf'])).code).toBe(5);
  expect(await readText(url)).toBe('%PDF-1.4\none');
  const [file] = JSON.parse(await user.ok(['ls', '--json'])) as Array<{ tags: string[] }>;
  expect(file?.tags).toEqual(['kept']);
});

test('a file that is not in the list of what its caller owns is left alone', async () => {
  await using user = await newUser();
  await user.write('a.pdf', '%PDF-1.4\none');
  const url = await user.ok(['publish', 'a.pdf']);
  await user.write('b.pdf', '%PDF-1.4\ntwo');
  const refused = await user.run(['update', url, 'b.pdf'], {
    env: { PERCH_TOKEN: 'a-token-of-somebody-else' },
  });
  expect(refused).toMatchObject({ code: 4, err: expect.stringContaining('not in the list of what you own') });
  expect(await readText(url)).toBe('%PDF-1.4\none');
});

test('get writes over the file that a link leads to, and into a pipe', async () => {
  await using user = await newUser();
  await user.write('a.pdf', '%PDF-1.4\none');
  const url = await user.ok(['publish', 'a.pdf']);
  await user.write('kept.pdf', 'earlier');
  await symlink(join(user.folder, 'kept.pdf'), join(user.folder, 'link.pdf'));
  await user.ok(['get', url, '-o', 'link.pdf']);
  expect(await Bun.file(join(user.folder, 'kept.pdf')).text()).toBe('%PDF-1.4\none');
  const pipe = join(user.folder, 'pipe');
  Bun.spawnSync(['mkfifo', pipe]);
  const reader = Bun.spawn(['cat', pipe], { stdout: 'pipe' });
  await user.ok(['get', url, '-o', 'pipe']);
  expect(await reader.stdout.text()).toBe('%PDF-1.4\none');
});

test('what has a password is never published anew without one', async () => {
  await using user = await newUser();
  await user.write('a.pdf', '%PDF-1.4\none');
  await user.write('a.md', '# Hello');
  const file = await user.ok(['publish', 'a.pdf', '--password', 'sesame', '--title', 'A report']);
  const page = await user.ok(['publish', 'a.md', '--password', 'sesame']);
  await user.write('a.pdf', '%PDF-1.4\ntwo');
  const refused = await user.run(['publish', 'a.pdf']);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--password') });
  expect((await user.run(['update', 'a.pdf', 'a.pdf'])).code).toBe(2);
  expect(await user.ok(['get', file, '--password', 'sesame'])).toBe('%PDF-1.4\none');
  expect(await user.ok(['publish', 'a.pdf', '--password', 'sesame'])).toBe(file);
  expect(await user.ok(['publish', 'a.md'])).toBe(page);
  for (const url of [file, page]) expect((await fetch(url)).status).toBe(403);
  const [listed] = JSON.parse(await user.ok(['ls', '--kind', 'file', '--json'])) as Array<{ title: string }>;
  expect(listed?.title).toBe('A report');
  await user.ok(['rm', new URL(page).pathname.slice(1)]);
  const gone = await user.run(['publish', 'a.md']);
  expect(gone).toMatchObject({ code: 2, err: expect.stringContaining('--new and --password') });
  expect((await fetch(page)).status).toBe(410);
  await user.ok(['publish', 'a.md', '--new', '--password', 'sesame']);
});

test('an empty password, of a variable that is not set, is refused by every command', async () => {
  await using user = await newUser();
  await user.write('a.pdf', '%PDF-1.4\none');
  const url = await user.ok(['publish', 'a.pdf', '--password', 'sesame']);
  for (const args of [
    ['publish', '-', '--password', ''],
    ['publish', '-', '--password= '],
    ['publish', 'a.pdf', '--password', ''],
    ['update', url, 'a.pdf', '--password='],
    ['get', url, '--password', ''],
    ['kv', 'set', 'cli-none', 'key', '1', '--password', ''],
  ])
    expect(await user.run(args, { stdin: 'x' })).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('--password'),
    });
  expect((await fetch(url)).status).toBe(403);
  expect(JSON.parse(await user.ok(['ls', '--json']))).toHaveLength(1);
});

test('a page that asks for files beside it is published, and they are named', async () => {
  await using user = await newUser();
  await user.write('a.html', '<link rel="stylesheet" href="a.css"><img src="bird.png">');
  const { code, err } = await user.run(['publish', 'a.html']);
  expect([code, err]).toEqual([0, expect.stringContaining('a.css, bird.png')]);
});

test('a site that the service warns about is published and updated with the warning', async () => {
  await using user = await newUser();
  await user.write('site/index.html', '<script>localStorage.setItem("a", "b")</script>');
  for (const args of [
    ['publish', 'site'],
    ['publish', 'site'],
    ['update', 'site', 'site'],
  ])
    expect(await user.run(args)).toMatchObject({ code: 0, err: expect.stringContaining('storage') });
});

test('update by address replaces a page, a document and a site, and refuses what does not fit', async () => {
  await using user = await newUser();
  const page = await user.ok(['publish', '-', '--id', 'cli-page'], { stdin: 'old' });
  const json = await user.ok(['publish', '-', '--id', 'cli-json'], { stdin: '{}' });
  await user.ok(['update', page, '-'], { stdin: 'new' });
  await user.ok(['update', 'public/cli-json', '-'], { stdin: '{"n": 12345678901234567890}' });
  expect(await readText(`${page}?raw=true`)).toBe('new');
  expect(await user.ok(['get', json])).toBe('{"n": 12345678901234567890}');
  await mkdir(join(user.folder, 'folder'));
  await user.write('folder/index.html', 'x');
  expect((await user.run(['update', 'cli-page', 'folder'])).code).toBe(2);
  expect((await user.run(['update', 'cli-nothing', 'folder'])).code).toBe(3);
});

test('update and renew of a part of an item are refused, and the item stays as it is', async () => {
  await using user = await newUser();
  await user.write('site/index.html', '<h1>Site</h1>');
  await user.write('site/docs/a.html', 'kept');
  await user.write('part/index.html', 'part');
  const url = await user.ok(['publish', 'site', '--ttl', '3']);
  const store = `cli-parts-${crypto.randomUUID().slice(0, 8)}`;
  await user.ok(['kv', 'set', store, 'key', '1', '--ttl', '3']);
  const site = new URL(url).pathname.slice(1);
  for (const [args, code, says] of [
    [['update', `${site}/docs`, 'part'], 5, 'replaced as a whole'],
    [['update', `${url}/docs/a.html`, 'part/index.html'], 5, 'replaced as a whole'],
    [['update', `public/${store}/key`, 'part/index.html'], 2, `kv set public/${store} key`],
    [['renew', `${site}/docs/a.html`, '--ttl', '9'], 5, 'renewed as a whole'],
    [['renew', `public/${store}/key`, '--ttl', '9'], 5, 'renewed as a whole'],
    [['kv', 'set', `public/${store}/key`, 'other', '2'], 2, `public/${store} key`],
  ] as const)
    expect(await user.run([...args])).toMatchObject({ code, out: '', err: expect.stringContaining(says) });
  expect(await readText(`${url}/docs/a.html`)).toBe('kept');
  const items = JSON.parse(await user.ok(['ls', '--json'])) as Array<{ ttlDays: number }>;
  expect(items.map(({ ttlDays }) => ttlDays)).toEqual([3, 3]);
  expect(await user.ok(['get', `public/${store}`])).toBe('key');
});

test('an update of a site changes its title, tags and days where they are given', async () => {
  await using user = await newUser();
  await user.write('site/index.html', '<title>Mine</title>');
  await user.write('site/start.html', 'start');
  const url = await user.ok(['publish', 'site', '--tag', 'one', '--ttl', '3']);
  const settings = async () => (JSON.parse(await user.ok(['ls', '--json'])) as unknown[])[0];
  await user.ok(['publish', 'site', '--title', 'Given', '--tag', 'two', '--tag', 'three', '--ttl', '9']);
  expect(await settings()).toMatchObject({ title: 'Given', tags: ['two', 'three'], ttlDays: 9 });
  expect(await user.ok(['publish', 'site', '--entry', 'start.html'])).toBe(url);
  expect(await settings()).toMatchObject({ title: 'Given', tags: ['two', 'three'], ttlDays: 9 });
  await user.ok(['update', url, 'site', '--title', 'Updated']);
  expect(await settings()).toMatchObject({ title: 'Updated', tags: ['two', 'three'], ttlDays: 9 });
});

test('options that mean nothing for a kind, or that an update does not change, are refused', async () => {
  await using user = await newUser();
  await user.write('a.md', '# Page');
  await user.write('a.json', '{}');
  await user.write('a.pdf', '%PDF-1.4\none');
  await user.write('site/index.html', 'site');
  for (const args of [
    ['publish', 'a.md', '--entry', 'a.md'],
    ['publish', 'a.json', '--format', 'text'],
    ['publish', 'a.pdf', '--entry', 'a.pdf'],
    ['publish', 'site', '--format', 'html'],
  ])
    expect(await user.run(args)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${args[2]} is for`),
    });
  expect(await user.ok(['ls'])).toBe('');
  for (const path of ['a.md', 'a.json', 'a.pdf', 'site']) await user.ok(['publish', path]);
  for (const args of [
    ['publish', 'a.json', '--tag', 'other'],
    ['publish', 'site', '--password', 'sesame'],
    ['update', 'a.md', 'a.md', '--password', 'sesame'],
    ['update', 'site', 'site', '--password', 'sesame'],
  ])
    expect(await user.run(args)).toMatchObject({ code: 2, err: expect.stringContaining('--new') });
  const refused = await user.run(['update', 'a.md', 'a.md', '--entry', 'a.md']);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--entry is for a site') });
  await user.ok(['update', 'a.pdf', 'a.pdf', '--title', 'Named', '--password', 'sesame']);
});

test('a JSON document is updated with its title given again, which stays', async () => {
  await using user = await newUser();
  await user.write('a.json', '{"n": 1}');
  const publish = (...args: string[]) => user.run([...args, '--title', 'Counts']);
  const first = await publish('publish', 'a.json');
  expect(first).toMatchObject({ code: 0, err: expect.not.stringContaining('The title stays') });
  const url = first.out.trim();
  for (const [n, args] of [
    [2, ['publish', 'a.json']],
    [3, ['update', url, 'a.json']],
  ] as const) {
    await user.write('a.json', `{"n": ${n}}`);
    expect(await publish(...args)).toMatchObject({
      code: 0,
      out: first.out,
      err: expect.stringContaining('The title stays'),
    });
    expect(await user.ok(['get', url])).toBe(`{"n": ${n}}`);
  }
  const [listed] = JSON.parse(await user.ok(['ls', '--json'])) as Array<{ title: string }>;
  expect(listed?.title).toBe('Counts');
});

test('two at once, the first of this user, have one token and both records', async () => {
  await using user = await newUser();
  await user.write('a.md', '# A');
  await user.write('b.md', '# B');
  const [a, b] = await Promise.all([user.ok(['publish', 'a.md']), user.ok(['publish', 'b.md'])]);
  await user.write('a.md', '# A2');
  expect(await user.ok(['publish', 'a.md'])).toBe(a);
  expect(await user.ok(['publish', 'b.md'])).toBe(b);
  expect(JSON.parse(await user.ok(['ls', '--json']))).toHaveLength(2);
  await user.write('.perch.json', '{');
  expect(await user.run(['publish', 'a.md'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('.perch.json'),
  });
});

test('--json prints the answer without the owner token', async () => {
  await using user = await newUser();
  const { out, err } = await user.run(['publish', '-', '--json'], { stdin: 'x' });
  const token = await user.ok(['token']);
  expect(token).toStartWith('own_');
  expect(JSON.parse(out)).toMatchObject({ namespace: 'public', format: 'TEXT' });
  expect(out + err).not.toContain(token);
});

test('it runs in Node.js as well', async () => {
  await using user = await newUser();
  await user.write('a.md', '# Node');
  const url = await user.ok(['publish', 'a.md'], { runtime: 'node' });
  expect(await user.ok(['get', 'a.md'], { runtime: 'node' })).toBe('# Node');
  await user.ok(['kv', 'set', 'cli-node', 'key', '[1]'], { runtime: 'node' });
  expect(await user.ok(['kv', 'get', 'cli-node', 'key'])).toBe('[1]');
  expect(await readText(`${url}?raw=true`)).toBe('# Node');
});

test('what is published is told although the folder cannot keep its address', async () => {
  await using user = await newUser();
  await user.write('a.md', '# Hello');
  await user.write('.perch.json', 'damaged');
  const { code, out, err } = await user.run(['publish', 'a.md', '--new']);
  expect(code).toBe(0);
  expect(await readText(`${out.trim()}?raw=true`)).toBe('# Hello');
  expect(err).toContain('.perch.json is damaged');
  expect(err).toContain('perch update');
});

test('text that is not UTF-8 is refused, and nothing is published', async () => {
  await using user = await newUser();
  const latin1 = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
  await user.write('short.json', latin1('{"name": "Jos\xe9"}'));
  await user.write('long.json', latin1(`{"filling": "${'x'.repeat(70_000)}", "name": "Jos\xe9"}`));
  for (const args of [['short.json', '--kind', 'json'], ['long.json']]) {
    const { code, err } = await user.run(['publish', ...args]);
    expect({ code, err }).toEqual({ code: 5, err: expect.stringContaining('UTF-8') });
  }
  await user.write('marked.json', '\ufeff{"a": 1}');
  expect((await user.run(['publish', 'marked.json'])).code).not.toBe(0);
  expect(JSON.parse(await user.ok(['ls', '--json']))).toEqual([]);
});

test('a byte order mark comes back with the text that has one', async () => {
  await using user = await newUser();
  await user.write('a.csv', '\ufeffa,b\n1,2\n');
  await user.ok(['publish', 'a.csv']);
  await user.ok(['get', 'a.csv', '-o', 'b.csv']);
  const bytes = async (name: string) => Buffer.from(await Bun.file(join(user.folder, name)).bytes());
  expect(await bytes('b.csv')).toEqual(await bytes('a.csv'));
});

test('no .perchignore brings hidden files and modules into a site, and one that cannot be read stops it', async () => {
  await using user = await newUser();
  await user.write('site/index.html', '<h1>Site</h1>');
  await user.write('site/data.json', '{}');
  await user.write('site/secret.txt', 'SECRET');
  await user.write('site/.vscode/settings.json', '{}');
  await user.write('site/node_modules/x/package.json', '{}');
  await user.write('site/.perchignore', '*\n!*/\n!*.html\n!*.json\n');
  await user.ok(['publish', 'site']);
  await user.ok(['get', 'site', '-o', 'copy']);
  const copied = (await readdir(join(user.folder, 'copy'), { recursive: true })).toSorted();
  expect(copied).toEqual(['data.json', 'index.html']);
  await user.write('site/.perchignore', Uint8Array.from(Buffer.from('secret.txt\n', 'utf16le')));
  expect(await user.run(['publish', 'site'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('UTF-8'),
  });
  await rm(join(user.folder, 'site/.perchignore'));
  await mkdir(join(user.folder, 'site/.perchignore'));
  expect(await user.run(['publish', 'site'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('cannot be read'),
  });
});
