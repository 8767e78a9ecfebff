import { afterAll, expect, test } from 'bun:test';
import { Perch, PerchError } from 'perch-client';
import { domainSettings, SERVICE_ADDRESS, SERVICE_HOST } from '../acceptance/support/domains.ts';
import { startNameServer } from '../acceptance/support/name-server.ts';
import { usePerch } from '../acceptance/support/perch.ts';
import { newUser, type User } from './command.ts';
import { clientInstance } from './instance.ts';

const names = await startNameServer();
afterAll(() => names.stop());

const served = usePerch({ env: domainSettings(names) });

/** A user of the Perch that serves domains. */
async function owner(): Promise<User> {
  const user = await newUser(served.url);
  await user.write('page.md', '# At home');
  await user.ok(['publish', 'page.md']);
  return user;
}

const RECORD = /^TXT {2}(\S+) {2}(perch-verification=[\w-]{32})$/;

test('a domain is claimed, shown, verified, lost and removed', async () => {
  await using user = await owner();
  expect(await user.run(['domain', 'page.md'])).toMatchObject({
    code: 3,
    out: '',
    err: expect.stringContaining('has no domain'),
  });
  const claimed = await user.run(['domain', 'page.md', 'WWW.cli-one.Example.org']);
  expect(claimed.err).toContain(`point www.cli-one.example.org to ${SERVICE_HOST}`);
  const [first, line = ''] = claimed.out.trimEnd().split('\n');
  expect([claimed.code, first]).toEqual([0, 'www.cli-one.example.org  pending']);
  const [, name = '', value = ''] = RECORD.exec(line) ?? [];
  expect(name).toBe('_perch-challenge.www.cli-one.example.org');
  expect(await user.ok(['domain', 'page.md'])).toBe(claimed.out.trimEnd());

  const set = () => user.run(['domain', 'page.md', 'www.cli-one.example.org']);
  const stateAndAdvice = async () => {
    const { out, err } = await set();
    return [out.split(/\s+/)[1], err.trimEnd()];
  };
  expect(await stateAndAdvice()).toEqual(['pending', expect.stringContaining('was not found')]);
  names.setTexts(name, value);
  expect(await stateAndAdvice()).toEqual(['verified', expect.stringContaining(SERVICE_HOST)]);
  names.setAddresses('www.cli-one.example.org', SERVICE_ADDRESS);
  expect(await stateAndAdvice()).toEqual([
    ...['active', expect.stringContaining('https://www.cli-one.example.org/')],
  ]);
  names.setTexts(name);
  expect(await stateAndAdvice()).toEqual(['lost', expect.stringContaining('again before 20')]);

  expect(await user.run(['domain', 'page.md', '--remove'])).toMatchObject({ code: 0, out: '' });
  expect((await user.run(['domain', 'page.md', '--remove'])).code).toBe(3);
  expect((await user.run(['domain', 'page.md'])).code).toBe(3);
});

test('a file with a domain is not replaced, as a new one would not have it', async () => {
  await using user = await newUser(served.url);
  await user.write('a.pdf', '%PDF-1.4\none');
  const url = await user.ok(['publish', 'a.pdf']);
  const claimed = await user.ok(['domain', 'a.pdf', 'www.cli-file.example.org']);
  await user.write('a.pdf', '%PDF-1.4\ntwo');
  for (const args of [
    ['publish', 'a.pdf'],
    ['update', 'a.pdf', 'a.pdf'],
  ])
    expect(await user.run(args)).toMatchObject({
      code: 5,
      out: '',
      err: expect.stringMatching(/has the domain www\.cli-file\.example\.org.* --remove/),
    });
  expect(await user.ok(['get', 'a.pdf'])).toBe('%PDF-1.4\none');
  expect(await user.ok(['domain', 'a.pdf'])).toBe(claimed);
  await user.ok(['domain', 'a.pdf', '--remove']);
  expect(await user.ok(['publish', 'a.pdf'])).toBe(url);
  expect(await user.ok(['get', 'a.pdf'])).toBe('%PDF-1.4\ntwo');
});

test('--json prints the answer, and a domain that another item has is told of', async () => {
  await using user = await owner();
  await using other = await owner();
  const json = async (who: User, ...args: string[]) =>
    JSON.parse(await who.ok(['domain', 'page.md', ...args, '--json'])) as {
      record: { name: string; value: string };
    };
  const { record } = await json(user, 'www.cli-two.example.org');
  names.setTexts(record.name, record.value);
  expect(await json(user, 'www.cli-two.example.org')).toMatchObject({ state: 'verified', finding: 'record' });
  expect(await json(user)).toMatchObject({ state: 'verified', target: SERVICE_HOST });
  const theirs = await json(other, 'www.cli-two.example.org');
  names.setTexts(record.name, record.value, theirs.record.value);
  const refused = await other.run(['domain', 'page.md', 'www.cli-two.example.org', '--json']);
  expect([refused.code, JSON.parse(refused.err)]).toMatchObject([5, { error: { code: 'DOMAIN_TAKEN' } }]);
  expect((await other.run(['domain', 'page.md'])).err).toContain('Another item has');
});

test('what is no domain, no item as a whole, or nobody’s own is refused', async () => {
  await using user = await owner();
  const { namespace, id } = JSON.parse(await user.ok(['publish', 'page.md', '--json'])) as {
    namespace: string;
    id: string;
  };
  const address = `${namespace}/${id}`;
  await using other = await newUser(served.url);
  await other.ok(['publish', '-'], { stdin: 'x' });
  for (const [who, args, code] of [
    [user, [address, 'localhost'], 5],
    [user, [`${address}/part`, 'www.cli-three.example.org'], 5],
    [user, [address, 'www.cli-three.example.org', '--remove'], 2],
    [user, [], 2],
    [user, ['public/there-is-none', 'www.cli-three.example.org'], 3],
    [other, [address, 'www.cli-three.example.org'], 4],
    [other, [address], 4],
  ] as const) {
    const ran = await who.run(['domain', ...args]);
    expect([args, ran.code, ran.out]).toEqual([args, code, '']);
  }
});

test('a server that serves no domains says so', async () => {
  const { url } = await clientInstance();
  await using user = await newUser(url);
  await user.write('page.md', 'x');
  await user.ok(['publish', 'page.md']);
  const refused = await user.run(['domain', 'page.md', 'www.cli-four.example.org']);
  expect([refused.code, refused.err]).toEqual([4, expect.stringContaining('CUSTOM_DOMAINS')]);
});

test('the client sets, shows and removes a domain', async () => {
  const anybody = new Perch({ url: served.url });
  const page = await anybody.pages.create('# Client', { contentType: 'text/markdown' });
  const claimed = await anybody.setDomain(page, 'www.client.example.org');
  expect(claimed).toMatchObject({ domain: 'www.client.example.org', state: 'pending' });
  names.setTexts(claimed.record.name, claimed.record.value);
  expect((await anybody.setDomain(page, 'www.client.example.org')).state).toBe('verified');
  expect((await anybody.domain(page)).record).toEqual(claimed.record);
  await anybody.removeDomain(page);
  const missing = await anybody.domain(page).catch((error: unknown) => error);
  expect(missing).toBeInstanceOf(PerchError);
  expect(missing).toMatchObject({ status: 404, code: 'NOT_FOUND' });
});
