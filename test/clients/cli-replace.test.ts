import { expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ItemRef, Perch } from 'perch-client';
import { usePerch } from '../acceptance/support/perch.ts';
import { useStarted } from '../started.ts';
import { newUser, readText, type User } from './command.ts';
import { clientInstance } from './instance.ts';
import { refusal, startMeddling } from './meddling-proxy.ts';

useStarted(clientInstance);

const [ONE, TWO] = ['%PDF-1.4\none', '%PDF-1.4\ntwo'];

/** A user with a file `a.pdf`, which is published at the address, and another one `b.pdf`. */
async function withFile(): Promise<{ user: User; url: string }> {
  const user = await newUser();
  await user.write('a.pdf', ONE);
  await user.write('b.pdf', TWO);
  return { user, url: await user.ok(['publish', 'a.pdf', '--tag', 'kept']) };
}

/** `perch update` of the file through a server in front of the Perch. */
const update = async (user: User, url: string, through: URL, runtime?: string) =>
  user.run(['update', new URL(url).pathname.slice(1), 'b.pdf', '--url', through.origin], {
    env: { PERCH_TOKEN: await user.ok(['token']) },
    ...(runtime === undefined ? {} : { runtime }),
  });

test.each(['node', process.execPath])(
  'Ctrl-C between the removal of a file and its successor waits until that is there: %s',
  async (runtime) => {
    const { user, url } = await withFile();
    await using _ = user;
    let interrupt = (): void => undefined;
    using proxy = startMeddling(user.url, async ({ method, pass }) => {
      if (method !== 'DELETE') return undefined;
      const answer = await pass();
      interrupt();
      await Bun.sleep(300);
      return answer;
    });
    const address = new URL(url).pathname.slice(1);
    const child = Bun.spawn(
      [...(await user.command(runtime)), 'update', address, 'b.pdf', '--url', proxy.url.origin],
      {
        cwd: user.folder,
        env: { ...user.env, PERCH_TOKEN: await user.ok(['token']) },
        stdout: 'ignore',
        stderr: 'pipe',
        timeout: 30_000,
      },
    );
    interrupt = () => child.kill('SIGINT');
    expect(await child.stderr.text()).toContain('A file is being replaced');
    await child.exited;
    expect(child.signalCode).toBe('SIGINT');
    expect(await readText(url)).toBe(TWO);
  },
);

test('a file whose removal was lost on the way is put back', async () => {
  const { user, url } = await withFile();
  await using _ = user;
  let removals = 0;
  using proxy = startMeddling(user.url, async ({ method, pass }) => {
    if (method !== 'DELETE') return undefined;
    removals += 1;
    if (removals === 1) await pass();
    return refusal();
  });
  const { code, out, err } = await update(user, url, proxy.url);
  expect({ code, out, err }).toEqual({ code: 7, out: '', err: expect.stringContaining('No room') });
  expect(await readText(url)).toBe(ONE);
  const [file] = JSON.parse(await user.ok(['ls', '--json'])) as Array<{ tags: string[] }>;
  expect(file?.tags).toEqual(['kept']);
});

test('a removal that is refused changes nothing, and takes no upload', async () => {
  const { user, url } = await withFile();
  await using _ = user;
  const seen: string[] = [];
  using proxy = startMeddling(user.url, async ({ method }) => {
    seen.push(method);
    return method === 'DELETE' ? Response.json({ code: 'FORBIDDEN' }, { status: 403 }) : undefined;
  });
  expect((await update(user, url, proxy.url)).code).toBe(4);
  expect(seen).not.toContain('POST');
  expect(await readText(url)).toBe(ONE);
});

test('a file that can neither be replaced nor put back is kept on the own machine', async () => {
  const { user, url } = await withFile();
  await using _ = user;
  using proxy = startMeddling(user.url, async ({ method }) => (method === 'POST' ? refusal() : undefined));
  const { code, out, err } = await update(user, url, proxy.url);
  expect([code, out]).toEqual([7, '']);
  const [, kept = ''] = /The former one is kept in (.+)\. Publish/.exec(err) ?? [];
  expect(await Bun.file(kept).text()).toBe(ONE);
  await rm(dirname(kept), { recursive: true });
});

const itemHosts = usePerch({ env: { CONTENT_BASE_URL: 'http://*.items.test' } });

test('a file goes on being served where its owner wants it, and a new host of its own is told', async () => {
  await using user = await newUser(itemHosts.url);
  await user.write('b.pdf', TWO);
  const owner = new Perch({
    url: user.url,
    ownerToken: await user.ok(['publish', '-'], { stdin: 'x' }).then(() => user.ok(['token'])),
  });
  const create = (deliveryMode?: 'path') =>
    owner.files.create(ONE, { filename: 'a.pdf', ...(deliveryMode && { deliveryMode }) });
  const [hosted, plain] = [await create(), await create('path')];
  const update = async (item: ItemRef) => {
    const { code, err } = await user.run(['update', `${item.namespace}/${item.id}`, 'b.pdf']);
    return { code, err, hosting: await owner.files.hosting(item) };
  };
  const { code, err, hosting } = await update(hosted);
  expect([code, hosting.requestedDeliveryMode]).toEqual([0, null]);
  expect(err).toContain(`another one: ${hosting.hostUrl}, and ${hosted.hostUrl} is gone`);
  expect(await update(plain)).toMatchObject({
    code: 0,
    err: '',
    hosting: { requestedDeliveryMode: 'path', effectiveDeliveryMode: 'path', hostUrl: null },
  });
});
