import { expect, test } from 'bun:test';
import { chmod, mkdir, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../infra/until.ts';
import { pixelsOfBlocks, readQrCodes } from '../qr-reader.ts';
import { useStarted } from '../started.ts';
import { newUser, type User } from './command.ts';
import { clientInstance } from './instance.ts';
import { startMeddling } from './meddling-proxy.ts';
import { startUnsteadyProxy } from './unsteady-proxy.ts';

useStarted(clientInstance);

test('tokens are kept by server, for the user alone; set, made anew and forgotten', async () => {
  await using user = await newUser();
  expect((await user.run(['token'])).code).toBe(3);
  await user.ok(['publish', '-'], { stdin: 'x' });
  const token = await user.ok(['token']);
  const folder = join(user.configFolder, 'perch/tokens');
  const [file = ''] = await readdir(folder);
  expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const refused = await user.run(['token', 'set', 'x'.repeat(20)]);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--force') });
  await user.ok(['token', 'set', '--force'], { stdin: `${'y'.repeat(20)}\n` });
  expect(await user.ok(['token'])).toBe('y'.repeat(20));
  await user.ok(['token', 'new', '--force']);
  expect(await user.ok(['token'])).not.toBe(token);
  expect(await user.ok(['token'], { env: { PERCH_TOKEN: token } })).toBe(token);
  await user.ok(['token', 'forget', '--force']);
  expect(await readdir(folder)).toEqual([]);
  expect((await user.run(['token', 'set', 'short'])).code).toBe(2);
});

test('PERCH_TOKEN is sent to the server of PERCH_URL or --url, and not to one that an address names', async () => {
  await using user = await newUser();
  const proxy = await startUnsteadyProxy(user.url);
  const env = { PERCH_TOKEN: 'a-token-of-a-build-server' };
  try {
    await user.run(['get', `${proxy.url}/public/none`], { env });
    await user.run(['get', 'public/none', '--url', `${proxy.url}/`], { env });
    expect(proxy.seen.map(({ ownerToken }) => ownerToken)).toEqual([undefined, env.PERCH_TOKEN]);
  } finally {
    proxy.stop();
  }
});

test.each(['node', process.execPath])(
  'user and password in the address of a server are sent to it, and printed or kept nowhere: %s',
  async (runtime) => {
    await using user = await newUser();
    await user.write('a.md', '# Hello');
    const expected = `Basic ${Buffer.from('me:sécret').toString('base64')}`;
    using proxy = startMeddling(user.url, async ({ headers }) =>
      headers.get('Authorization') === expected ? undefined : new Response('Who are you?', { status: 401 }),
    );
    const withPassword = (url: string): string => url.replace('://', '://me:s%C3%A9cret@');
    const server = withPassword(proxy.url.origin);
    const run = async (args: string[]) => {
      const ran = await user.run(args, { runtime, env: { PERCH_URL: server } });
      expect(ran.out + ran.err).not.toMatch(/s%C3%A9cret|sécret/);
      return ran;
    };
    for (const [args, code] of [
      [['publish', 'a.md'], 0],
      [['publish', 'a.md'], 0],
      [['get', 'a.md'], 0],
      [['token', '--json'], 0],
      [['token', 'new'], 2],
      [['get', `${proxy.url.origin}/public/none`], 3],
      [['get', `${server}/public/none`, '--json'], 3],
      [['get', `${server}/public/../none`], 2],
      [['rm', `${server}/public//none`], 2],
      [['get', withPassword('http://')], 2],
      [['get', withPassword('http:///x')], 2],
      [['ls', '--url', withPassword('ftp://perch.example')], 2],
      [['ls', '--url', 'http://me:sécret/b@perch.example'], 2],
      [['ls', '--url', withPassword('http://127.0.0.1:1')], 0],
      [['get', withPassword('http://127.0.0.1:1/public/x')], 7],
      [['renew', `${server}/x/y/z`], 3],
      [['rm', 'a.md'], 0],
    ] as const)
      expect({ args, code: (await run([...args])).code }).toEqual({ args, code });
    const kept = await readdir(user.folder, { recursive: true });
    expect(kept.join() + (await Bun.file(join(user.folder, '.perch.json')).text())).not.toContain('me:');
  },
);

test('PERCH_TOKEN is enough for a user without a home', async () => {
  await using user = await newUser();
  const env = {
    ...user.env,
    PERCH_TOKEN: 'a-token-of-a-build-server',
    HOME: undefined,
    XDG_CONFIG_HOME: undefined,
  };
  // The folder of the built command is its builder's alone.
  const [runtime = '', file = ''] = await user.command('node');
  const copy = join(tmpdir(), `perch-homeless-${crypto.randomUUID()}.mjs`);
  await Bun.write(copy, Bun.file(file));
  // Root can become a user who is in no list of users, as in containers; anybody else has at least no HOME.
  const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid', '54321', '--clear-groups'] : [];
  const child = Bun.spawn([...asNobody, runtime, copy, 'ls'], {
    cwd: '/',
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const ran = [await child.exited, await child.stderr.text()];
  await Bun.file(copy).delete();
  expect(ran).toEqual([0, expect.stringContaining('Nothing')]);
});

test('ls, renew and rm, by path, address, URL and short URL', async () => {
  await using user = await newUser();
  await user.write('a.md', '# Listed');
  const { url, shortUrl } = JSON.parse(await user.ok(['publish', 'a.md', '--json'])) as Record<
    string,
    string
  >;
  expect(await user.ok(['ls'])).toMatch(/^html +8 B .*Listed$/);
  expect(await user.ok(['ls', '--kind', 'kv'])).toBe('');
  expect(await user.ok(['ls', '--ns', 'nowhere'])).toBe('');
  expect(JSON.parse(await user.ok(['renew', shortUrl ?? '', '--ttl', '20', '--json']))).toMatchObject({
    ttlDays: 20,
  });
  await user.ok(['rm', 'a.md']);
  expect((await user.run(['get', url ?? ''])).code).toBe(3);
  expect(await user.ok(['ls'])).toBe('');
});

test('keys: set makes the store, get and watch give the value, rm takes the key', async () => {
  await using user = await newUser();
  const store = `cli-store-${crypto.randomUUID().slice(0, 8)}`;
  const link = await user.ok(['kv', 'set', store, 'step', '{"n": 12345678901234567890}', '--ttl', '2']);
  expect(link).toEndWith(`/public/${store}/step`);
  expect(await user.ok(['kv', 'get', store, 'step'])).toBe('{"n":12345678901234567890}');
  expect(await user.ok(['kv', 'get', store, 'step', '--json'])).toContain(
    ',"value":{"n":12345678901234567890}}',
  );
  await user.ok(['kv', 'set', store, 'step', '-', '--string'], { stdin: ' a \t\n\n' });
  expect(JSON.parse(await user.ok(['kv', 'get', store, 'step', '--json']))).toMatchObject({
    value: ' a \t\n',
  });
  await user.ok(['kv', 'set', store, 'step', '-', '--string'], { stdin: '42\n' });
  expect(JSON.parse(await user.ok(['kv', 'get', store, 'step', '--json']))).toMatchObject({ value: '42' });
  expect(await user.ok(['get', `public/${store}`])).toBe('step');
  const watching = Bun.spawn([...(await user.command()), 'kv', 'watch', store, 'step'], {
    cwd: user.folder,
    env: user.env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 30_000,
  });
  const reader = watching.stdout.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader.read()).value).toBe('"42"\n');
  await user.ok(['kv', 'set', store, 'step', '[1, 12345678901234567890]']);
  expect((await reader.read()).value).toBe('[1,12345678901234567890]\n');
  await user.ok(['rm', `public/${store}/step`]);
  expect(await watching.exited).toBe(0);
  expect((await user.run(['kv', 'get', store, 'step'])).code).toBe(3);
});

test('rm of a key that a URL leaves out is refused, and the store stays', async () => {
  await using user = await newUser();
  const store = `cli-dots-${crypto.randomUUID().slice(0, 8)}`;
  await user.ok(['kv', 'set', store, 'kept', '1']);
  const addresses = [`public/${store}/.`, `public/${store}/..`, `public/${store}/%2e`];
  for (const address of [...addresses, ...addresses.map((path) => `${user.url}/${path}?x=1`)])
    expect(await user.run(['rm', address])).toMatchObject({ code: 2, err: expect.stringContaining('".."') });
  for (const action of ['set', 'get', 'increment'])
    expect((await user.run(['kv', action, store, '.', ...(action === 'get' ? [] : ['1'])])).code).toBe(2);
  expect(await user.ok(['get', `public/${store}`])).toBe('kept');
});

test('rm of an address with an empty part is refused, and the store stays; of a folder that was published a slash means nothing', async () => {
  await using user = await newUser();
  const store = `cli-empty-${crypto.randomUUID().slice(0, 8)}`;
  await user.ok(['kv', 'set', store, 'kept', '1']);
  for (const address of [`public/${store}/`, `${store}/`, `${store}//kept`, `${user.url}/public/${store}/`])
    expect(await user.run(['rm', address])).toMatchObject({ code: 2, err: expect.stringContaining('empty') });
  expect(await user.ok(['get', `public/${store}`])).toBe('kept');
  await user.write('site/index.html', 'x');
  const site = await user.ok(['publish', 'site']);
  await user.ok(['rm', 'site/']);
  expect((await fetch(site)).status).toBe(410);
});

test('keys: increment counts and append collects, also where there is no store yet', async () => {
  await using user = await newUser();
  const [counts, log] = ['counts', 'log'].map((name) => `cli-${name}-${crypto.randomUUID().slice(0, 8)}`);
  const kv = (...args: string[]) => user.ok(['kv', ...args]);
  const first = await user.run(['kv', 'increment', counts ?? '', 'runs', '5', '--ttl', '2']);
  expect(first).toMatchObject({ code: 0, out: '5\n', err: expect.stringContaining('everybody') });
  expect(await kv('increment', counts ?? '', 'runs')).toBe('6');
  expect(await kv('increment', counts ?? '', 'runs', '--', '-7')).toBe('-1');
  expect(JSON.parse(await kv('increment', counts ?? '', 'others', '--json'))).toMatchObject({ value: 1 });
  const atOnce = `cli-at-once-${crypto.randomUUID().slice(0, 8)}`;
  await Promise.all(Array.from({ length: 4 }, () => kv('increment', atOnce, 'runs', '10')));
  expect(await kv('get', atOnce, 'runs')).toBe('40');
  expect(await kv('append', log ?? '', 'lines', 'begun')).toEndWith(`/public/${log}/lines`);
  await kv('append', log ?? '', 'lines', '{"n": 12345678901234567890}');
  await user.ok(['kv', 'append', log ?? '', 'lines', '-', '--string'], { stdin: '42\n' });
  expect(await kv('get', log ?? '', 'lines')).toBe('["begun",{"n":12345678901234567890},"42"]');
  for (const [args, code] of [
    [['increment', counts ?? '', 'runs', '1.5'], 2],
    [['increment', counts ?? '', 'runs', ' '], 2],
    [['increment', counts ?? '', 'runs', '9007199254740993'], 2],
    [['increment', counts ?? '', 'runs', '1', '2'], 2],
    [['append', log ?? '', 'lines'], 2],
    [['increment', log ?? '', 'lines'], 5],
  ] as const)
    expect((await user.run(['kv', ...args])).code).toBe(code);
  await using other = await newUser();
  await other.ok(['publish', '-'], { stdin: 'x' });
  expect((await other.run(['kv', 'increment', counts ?? '', 'runs'])).code).toBe(4);
});

test('a password that a store does not have is refused, and nothing is written', async () => {
  await using user = await newUser();
  const [open, closed] = ['open', 'closed'].map((name) => `cli-${name}-${crypto.randomUUID().slice(0, 8)}`);
  const write = (...args: string[]) => user.run(['kv', ...args]);
  const protect = ['--password', 'sesame'];
  expect((await write('set', open ?? '', 'key', '1', '--ttl', '2')).code).toBe(0);
  expect((await write('set', closed ?? '', 'key', '1', ...protect)).code).toBe(0);
  for (const [args, code, says] of [
    [['set', open ?? '', 'key', '2', '--ttl', '9', ...protect], 2, 'without a password'],
    [['set', open ?? '', 'key', '2', ...protect], 2, 'without a password'],
    [['increment', open ?? '', 'key', ...protect], 2, 'without a password'],
    [['append', open ?? '', 'log', 'x', ...protect], 2, 'without a password'],
    [['set', closed ?? '', 'key', '2', '--password', 'another'], 4, 'PASSWORD_WRONG'],
  ] as const)
    expect(await write(...args)).toMatchObject({ code, out: '', err: expect.stringContaining(says) });
  expect(await user.ok(['get', `public/${open}`])).toBe('key');
  expect(await user.ok(['kv', 'get', open ?? '', 'key'])).toBe('1');
  expect((await write('increment', closed ?? '', 'key', ...protect)).out).toBe('2\n');
});

test('a store that is there keeps its days, and is written to', async () => {
  await using user = await newUser();
  const proxy = await startUnsteadyProxy(user.url);
  const store = `cli-days-${crypto.randomUUID().slice(0, 8)}`;
  const set = (value: string) =>
    user.run(['kv', 'set', store, 'key', value, '--ttl', '7', '--url', proxy.url]);
  try {
    const [first, second] = [await set('1'), await set('2')];
    expect(first).toMatchObject({ code: 0, err: expect.not.stringContaining('its days stay') });
    expect(second).toMatchObject({
      code: 0,
      err: expect.stringContaining(`public/${store} was there: its days stay`),
    });
    expect(await user.ok(['kv', 'get', store, 'key', '--url', proxy.url])).toBe('2');
    // An owner token comes first.
    expect(proxy.seen.map(({ method }) => method)).toEqual(['POST', 'PUT', 'POST', 'PUT', 'GET']);
  } finally {
    proxy.stop();
  }
});

test('of first writes at once with days or a password none is lost', async () => {
  await using user = await newUser();
  for (const option of [
    ['--ttl', '7'],
    ['--ttl', '7', '--password', 'sesame'],
  ]) {
    const store = `cli-first-${crypto.randomUUID().slice(0, 8)}`;
    using meeting = startMeeting(user.url);
    const args = ['kv', 'increment', store, 'runs', '1', ...option, '--url', meeting.url.origin];
    const runs = await Promise.all([user.run(args), user.run(args)]);
    expect(runs.map(({ code, out }) => [code, out]).toSorted()).toEqual([
      [0, '1\n'],
      [0, '2\n'],
    ]);
    const notes = runs.map(({ err }) => err).join('');
    expect(notes).toContain(`made the store public/${store}`);
    expect(notes).toContain(`public/${store} was there: its days stay`);
    expect(await user.ok(['kv', 'get', store, 'runs', ...option.slice(2)])).toBe('2');
  }
});

/** Stands in front of a Perch, and answers the first increment when the second is answered as well: neither run finds a store. */
function startMeeting(target: string) {
  let arrived = 0;
  const { promise: both, resolve: meet } = Promise.withResolvers<void>();
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const headers = new Headers(request.headers);
      headers.delete('Host');
      const body = request.method === 'GET' ? null : await request.arrayBuffer();
      const passed = await fetch(target + pathname + search, { method: request.method, headers, body });
      const answer = Response.json(await passed.json(), { status: passed.status });
      if (pathname.endsWith('/increment')) {
        arrived += 1;
        if (arrived === 2) meet();
        await both;
      }
      return answer;
    },
  });
}

test('open shows the address in the browser, or as a QR code; publish does as well', async () => {
  await using user = await newUser();
  const browser = join(user.folder, '.bin/xdg-open');
  await mkdir(join(user.folder, '.bin'));
  await user.write('.bin/xdg-open', '#!/bin/sh\nprintf %s "$1" > opened.tmp\nmv opened.tmp opened\n');
  await chmod(browser, 0o755);
  const { out, err } = await user.run(['publish', '-', '--open', '--qr'], { stdin: 'x' });
  expect(await readQrCodes(pixelsOfBlocks(err))).toEqual([out.trim()]);
  const opened = join(user.folder, 'opened');
  await until('the address is opened', () => Bun.file(opened).exists());
  // Read anew: a `Bun.file` that was not there may keep that it has no bytes.
  expect(await Bun.file(opened).text()).toBe(out.trim());
  const shown = (await user.run(['open', out.trim(), '--qr'])).err;
  expect(await readQrCodes(pixelsOfBlocks(shown))).toEqual([out.trim()]);
  const nowhere = await user.run(['open', out.trim()], {
    runtime: process.execPath,
    env: { PATH: user.folder },
  });
  expect(nowhere).toMatchObject({ code: 1, err: expect.stringContaining(out.trim()) });
});

test('errors say what to do, on stderr, and the exit code says of which sort they are', async () => {
  await using user = await newUser();
  await using other = await newUser();
  const item = await user.ok(['publish', '-', '--password', 'sesame'], { stdin: '# Protected' });
  const proxy = await startUnsteadyProxy(user.url);
  proxy.fates.push({ status: 429, code: 'RATE_LIMITED', retryAfter: 1800 });
  try {
    const expected: Array<[args: string[], code: number, says: string]> = [
      [['publsh'], 2, '--help'],
      [['--url', user.url, 'ls'], 2, 'perch COMMAND --url'],
      [['ls', '--bogus'], 2, '--bogus'],
      [['publish', 'missing.md'], 2, 'missing.md'],
      [['get', 'public/there-is-none'], 3, 'NOT_FOUND'],
      [['get', item], 4, '--password'],
      [['get', item, '--password', 'wrong'], 4, 'PASSWORD_WRONG'],
      [['rm', item], 4, 'OWNER_TOKEN_REQUIRED'],
      [['renew', `${user.url}/s/nope`], 3, 'perch ls'],
      [['renew', 'x', '--url', proxy.url], 6, '30 minutes'],
      [['ls', '--url', 'nonsense'], 2, 'https://'],
      [['get', 'http://'], 2, 'is no URL'],
    ];
    for (const [args, code, says] of expected) {
      const ran = await other.run(args, { stdin: 'text' });
      expect({ args, code: ran.code, out: ran.out }).toEqual({ args, code, out: '' });
      expect(ran.err).toContain(says);
    }
  } finally {
    proxy.stop();
  }
  const refused = await other.run(['publish', '-', '--ttl', '99'], { stdin: 'text' });
  expect(refused).toMatchObject({ code: 5, out: '' });
  expect(refused.err.match(/must be a whole number of days/g)).toHaveLength(1);
  expect(await other.ok(['get', item, '--password', 'sesame'])).toBe('# Protected');
  const away = await user.run(['publish', '-', '--url', 'http://127.0.0.1:1', '--json'], { stdin: 'x' });
  expect(away.code).toBe(7);
  expect(JSON.parse(away.err)).toMatchObject({ error: { exitCode: 7, code: null } });
});

test('a password beyond Latin-1 protects what is published, in Bun and in Node.js', async () => {
  await using user = await newUser();
  for (const runtime of [process.execPath, 'node']) {
    const url = await user.ok(['publish', '-', '--password', '密码'], { stdin: '# Secret', runtime });
    await using other = await newUser();
    expect(await other.ok(['get', url, '--password', '密码'], { runtime })).toBe('# Secret');
    expect((await other.run(['get', url, '--password', '密钥'], { runtime })).err).toContain(
      'PASSWORD_WRONG',
    );
  }
});

test('help, version and completion', async () => {
  await using user = await newUser();
  expect(await user.ok([])).toContain('publish FILE|DIR|-');
  expect(await user.ok(['kv', '--help'])).toContain('--string');
  expect(await user.ok(['--help'])).toContain('--version');
  expect(await user.ok(['--version'])).toMatch(/^\d+\.\d+\.\d+$/);
  expect(await user.ok(['completion', 'zsh'])).toStartWith('#compdef perch');
  expect((await user.run(['completion', 'fish'])).code).toBe(2);
  await user.write('perch.bash', `${await user.ok(['completion', 'bash'])}\n`);
  await user.write('my report.md', 'x');
  await user.write("it's $1*.md", 'x');
  await user.write('a folder/in it.md', 'x');
  for (const [typed, words] of [
    ['pu\t', ['publish']],
    ['kv w\t', ['kv', 'watch']],
    ['publish --wa\t', ['publish', '--watch']],
    ['ls my\t', ['ls', 'my']],
    ['publish my\t', ['publish', 'my report.md']],
    ['publish my\\ re\t', ['publish', 'my report.md']],
    ['publish "my re\t', ['publish', 'my report.md']],
    ['update public/a it\t', ['update', 'public/a', "it's $1*.md"]],
    ['publish a\tin\t', ['publish', 'a folder/in it.md']],
    ['publish --title x m\t', ['publish', '--title', 'x', 'my report.md']],
  ] as const)
    expect({ typed, words: await wordsAfter(user, typed) }).toEqual({ typed, words: [...words] });
});

/** Words that a command of this name gets when somebody types them at bash, of which Tab completes some. */
async function wordsAfter(user: User, typed: string): Promise<string[]> {
  let seen = '';
  const decoder = new TextDecoder();
  const shell = Bun.spawn(['bash', '--norc', '--noprofile', '-i'], {
    cwd: user.folder,
    env: { ...user.env, PS1: '', INPUTRC: '/dev/null', TERM: 'dumb' },
    terminal: {
      cols: 200,
      rows: 24,
      data: (_, chunk) => {
        seen += decoder.decode(chunk, { stream: true });
      },
    },
    timeout: 20_000,
  });
  shell.terminal?.write(`. ./perch.bash; perch() { printf '%s\\n' "$@" > words; }\nperch ${typed}\nexit\n`);
  if ((await shell.exited) !== 0) throw new Error(seen);
  return (await Bun.file(join(user.folder, 'words')).text()).trimEnd().split('\n');
}
