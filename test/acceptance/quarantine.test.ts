import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { apiPath, codePath, jsonOf, ownedBy, type Published, raw, shortPath } from './support/client.ts';
import { atOnce, eventually, fresh } from './support/concurrency.ts';
import { act, BROWSER, openPage, signIn } from './support/console.ts';
import { expectError } from './support/errors.ts';
import { postFile } from './support/file-client.ts';
import { usePerch } from './support/perch.ts';
import {
  findingOf,
  release,
  rescan,
  type Started,
  scansOf,
  startRescan,
  toldOwner,
} from './support/quarantine.ts';
import { archiveOf, postArchive, publishSite, readSite, siteApiPath } from './support/site-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'perch-links-'));
const file = join(folder, 'hosts.txt');
let written = 0;
/** Writes the blocklist anew; each time it has another length. */
const block = (...hosts: string[]): void => {
  written += 1;
  writeFileSync(file, `# list ${'x'.repeat(written)}\n${hosts.join('\n')}\n`);
};
block('phishing.example', 'bücher.example', 'not a host', 'http://', 'com');

const perch = usePerch({
  gateways: 2,
  contents: 2,
  sites: 2,
  env: { ADMIN_PASSWORD, LINK_BLOCKLIST: file, RESCAN_PER_SECOND: '1000' },
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hosts = async (): Promise<number> => (await scansOf(perch)).links?.hosts ?? 0;

test.each([
  ['a link', '<a href="https://phishing.example/login">'],
  ['a link without a scheme', "<a href='//phishing.example'>"],
  ['a subdomain, a port and a user', '<a href="http://bank.test@www.PHISHING.example:8080/x">'],
  ['a comma in the name of a user', '<a href="https://bank.test,x@phishing.example/">'],
  ['entities', '<a href="&#104;ttps&colon;&sol;&sol;phishing&period;example">'],
  ['entities in a page within it', '<iframe srcdoc="<a href=https://ph&amp;#105;shing.example>">'],
  ['backslashes', '<a href="https:\\\\phishing.example\\x">'],
  ['line ends within an address', '<a href="https://phish\ning.exa\tmple/">'],
  ['a host in other letters', '<a href="https://BÜCHER.example/">'],
  ['the same, encoded', '<img src="https://xn--bcher-kva.example/a.png">'],
  ['a script', '<script>location = "https://phishing.example"</script>'],
  ['a refresh', '<meta http-equiv="refresh" content="0; url=https://phishing.example/">'],
])('a page with %s to a host of the list is refused, and says why', async (_, html) => {
  const id = fresh('refused');
  const body = await expectError(
    await perch.post(raw(html, 'text/html', { query: { id } })),
    422,
    'CONTENT_REJECTED',
    'content',
  );
  expect(body).toMatchObject({ result: { code: 'failed', action: 'rejected' } });
  expect((await perch.request(`/public/${id}`)).status).toBe(404);
});

test.each([
  ['a backslash in the host', '[x](https://phishing\\.example/)'],
  ['a backslash and no scheme', '[x](//phishing\\.example)'],
  ['a picture', '![](https://phishing\\.example/x.png)'],
  ['a link defined elsewhere', '[x][1]\n\n[1]: https://phishing\\.example/a'],
  ['a name that becomes a link', 'see www.phishing.example now'],
])('markdown with %s is looked at as it is rendered, as a page and as a file', async (_, markdown) => {
  await expectError(await perch.post(raw(markdown, 'text/markdown')), 422, 'CONTENT_REJECTED', 'content');
  await expectError(await postFile(perch, 'notes.md', markdown), 422, 'CONTENT_REJECTED');
  const page = await perch.publish(raw('# Fine', 'text/markdown'));
  const update = { method: 'PUT', ...raw(markdown, 'text/markdown', ownedBy(page)) };
  await expectError(await perch.request(apiPath(page), update), 422, 'CONTENT_REJECTED');
});

test('markdown and files of sites are looked at, too, on create and update; other hosts and kinds are not', async () => {
  const markdown = raw('see [this](https://a.phishing.example/x) and <https://ok.example>', 'text/markdown');
  await expectError(await perch.post(markdown), 422, 'CONTENT_REJECTED');
  const bad = { 'index.html': '<p>hi', 'a/b.html': '<a href="https://phishing.example">' };
  await expectError(await postArchive(perch, archiveOf(bad)), 422, 'CONTENT_REJECTED', 'a/b.html');

  const link = '<a href="https://phishing.example">';
  const wide = Buffer.from(`\ufeff${link}`, 'utf16le');
  const others = {
    'wide.html': wide,
    'page.xml': `<html xmlns="http://www.w3.org/1999/xhtml">${link}</a></html>`,
    'drawing.svg':
      '<!DOCTYPE svg [<!ENTITY h "phishing.example">]><svg xmlns="http://www.w3.org/2000/svg"><a href="https://&h;/"/></svg>',
  };
  for (const [path, bytes] of Object.entries(others)) {
    const site = archiveOf({ 'index.html': '<p>hi', [path]: bytes });
    await expectError(await postArchive(perch, site), 422, 'CONTENT_REJECTED', path);
  }

  const page = await perch.publish('<a href="https://phishing.example.org/">near</a> notphishing.example');
  const update = raw('<a href="https://phishing.example">', 'text/html', ownedBy(page));
  await expectError(
    await perch.request(apiPath(page), { method: 'PUT', ...update }),
    422,
    'CONTENT_REJECTED',
  );
  expect(await (await perch.read(page)).text()).toContain('near');
  const document = { method: 'POST', json: { link: 'https://phishing.example' } };
  expect((await perch.request('/api/json', document)).status).toBe(201);
  expect((await perch.post(raw('https://phishing.example is bad', 'text/plain'))).status).toBe(201);
});

test('bad lines are counted, and a changed file holds from the next upload on', async () => {
  expect((await scansOf(perch)).links).toEqual({ hosts: 2, badLines: 3, problem: null });
  block('phishing.example', 'later.example', 'bücher.example');
  await eventually(async () => (await hosts()) === 3);
  // Each process reads the file for itself.
  const link = raw('<a href=//later.example>', 'text/html');
  await eventually(async () =>
    (await atOnce(12, () => perch.post(link))).every(({ status }) => status === 422),
  );
  rmSync(file);
  await eventually(async () => (await scansOf(perch)).links?.problem !== null);
  expect(await hosts()).toBe(3);
  await expectError(await perch.post(link), 422, 'CONTENT_REJECTED');
  block('phishing.example');
  await eventually(async () => (await hosts()) === 1);
});

/** A page with a link to a host that is put on the list only then, found by a rescan. */
async function quarantined(ns = 'public'): Promise<{ page: Published; host: string }> {
  const host = `${fresh('found')}.example`;
  const page = await perch.publish(`<p>read me<a href="https://${host}/">`, { query: { ns } });
  block('phishing.example', host);
  const before = await perch.read(page);
  expect(before.status).toBe(200);
  expect((await rescan(perch)).found).toBeGreaterThan(0);
  return { page, host };
}

test.each(['public', 'team-notes'])(
  'a rescan puts a page in %s into quarantine: nobody else reads it, its owner is told, the operator releases it',
  async (ns) => {
    const { page, host } = await quarantined(ns);
    const path = shortPath(page);
    for (const client of perch.clients) {
      for (const address of [path, `${path}?raw=1`, `${path}?dl=1`, apiPath(page)]) {
        const body = await expectError(await client.request(address), 451, 'QUARANTINED');
        expect(JSON.stringify(body)).not.toContain(host);
      }
      const inGerman = await client.request(path, { headers: { ...BROWSER, 'Accept-Language': 'de' } });
      expect(inGerman.status).toBe(451);
      expect(await inGerman.text()).toContain('<h1>In Quarantäne</h1>');
      const inEnglish = await client.request(path, { headers: BROWSER });
      expect(await inEnglish.text()).toContain('<h1>In quarantine</h1>');
    }
    expect((await perch.request(codePath(page))).status).toBe(302);
    const listed = await perch.request('/api/gallery', { query: { limit: 100 } });
    expect(await listed.text()).not.toContain(`"${page.id}"`);

    const told = { cause: 'link', verdict: host, part: null };
    expect(await toldOwner(perch.last, page)).toMatchObject(told);
    expect(await jsonOf(await perch.request(`${apiPath(page)}/settings`, ownedBy(page)))).toMatchObject({
      quarantine: told,
    });
    const source = await jsonOf<{ content: string }>(
      await perch.request(`${apiPath(page)}/source`, ownedBy(page)),
    );
    expect(source.content).toContain('read me');

    const filter = { query: { state: 'quarantined', id: page.id }, headers: ADMIN };
    expect(await jsonOf<unknown[]>(await perch.request('/api/admin/publications', filter))).toMatchObject([
      { id: page.id, state: 'quarantined', quarantine: told },
    ]);
    const bytes = await perch.request(`/api/admin/items${path}/bytes`, { headers: ADMIN });
    expect(await bytes.text()).toContain('read me');
    expect(bytes.headers.get('Content-Disposition')).toStartWith('attachment');
    expect((await perch.request(`/api/admin/items${path}/bytes`)).status).toBe(401);

    expect(await jsonOf(await release(perch.last, page))).toMatchObject({ id: page.id, state: 'live' });
    for (const client of perch.clients) expect((await client.read(page)).status).toBe(200);
    expect(await toldOwner(perch, page)).toBeUndefined();
    // Released once, the same finding in the same content passes.
    expect((await rescan(perch)).found).toBe(0);
    expect((await perch.read(page)).status).toBe(200);
    const removal = { method: 'DELETE', ...ownedBy(page) };
    expect((await perch.request(apiPath(page), removal)).status).toBe(204);
  },
);

test('a release is of what was seen: of another content, or another finding, nothing is released', async () => {
  const { page, host } = await quarantined();
  const seen = await findingOf(perch, page);
  const other = `${fresh('found')}.example`;
  const update = raw(`<a href="https://${other}/">`, 'text/html', ownedBy(page));
  expect((await perch.request(apiPath(page), { method: 'PUT', ...update })).status).toBe(200);
  block(other, host);
  await rescan(perch);
  await expectError(await release(perch.last, page, seen), 409, 'FINDING_CHANGED');
  await expectError(await perch.read(page), 451, 'QUARANTINED');
  for (const findingId of [undefined, '', 'x'.repeat(32), 7])
    await expectError(
      await perch.request(`/api/admin/items${shortPath(page)}/release`, {
        method: 'POST',
        headers: ADMIN,
        json: { findingId },
      }),
      400,
      'VALIDATION_FAILED',
      'findingId',
    );
  const now = await findingOf(perch, page);
  expect(await jsonOf(await release(perch, page, now))).toMatchObject({ state: 'live' });
  // Of two clicks the second finds nothing to release.
  expect(await jsonOf(await release(perch, page, now))).toMatchObject({ state: 'live' });
});

test('a release leaves an item in quarantine whose other links nobody has seen', async () => {
  const [one, two] = [`${fresh('found')}.example`, `${fresh('found')}.example`];
  const site = await publishSite(perch, {
    'index.html': `<a href="https://${one}/">`,
    'next.html': `<a href="https://${two}/">`,
  });
  block(one, two);
  await rescan(perch);
  expect(await toldOwner(perch, site)).toMatchObject({ verdict: one, part: 'index.html' });
  expect(await jsonOf(await release(perch, site))).toMatchObject({ state: 'quarantined' });
  for (const client of perch.clients) await expectError(await readSite(client, site, ''), 451, 'QUARANTINED');
  expect(await toldOwner(perch, site)).toMatchObject({ verdict: two, part: 'next.html' });
  expect(await jsonOf(await release(perch.last, site))).toMatchObject({ state: 'live' });
  expect((await readSite(perch, site, '')).status).toBe(200);
  expect((await rescan(perch)).found).toBe(0);
});

test('hidden and in quarantine are two things: each ends by itself', async () => {
  const { page } = await quarantined();
  const set = (what: string) =>
    perch.request(`/api/admin/items${shortPath(page)}/${what}`, { method: 'POST', headers: ADMIN });
  expect(await jsonOf(await set('hide'))).toMatchObject({ state: 'quarantined' });
  await expectError(await perch.read(page), 451, 'QUARANTINED');
  expect(await jsonOf(await release(perch, page))).toMatchObject({ state: 'hidden' });
  await expectError(await perch.read(page), 410, 'GONE');
  expect(await jsonOf(await set('show'))).toMatchObject({ state: 'live' });
  expect((await perch.read(page)).status).toBe(200);
});

test('an owner ends a quarantine by another content, and only by one that passes', async () => {
  const { page, host } = await quarantined();
  const put = (html: string) =>
    perch.request(apiPath(page), { method: 'PUT', ...raw(html, 'text/html', ownedBy(page)) });
  await expectError(await put(`<b><a href="//${host}">`), 422, 'CONTENT_REJECTED');
  await expectError(await perch.read(page), 451, 'QUARANTINED');
  expect(await jsonOf<object>(await put('<p>corrected'))).not.toHaveProperty('quarantine');
  for (const client of perch.clients) expect(await (await client.read(page)).text()).toContain('corrected');
});

test('a site is in quarantine whole, and the file is named', async () => {
  const host = `${fresh('found')}.example`;
  const site = await publishSite(perch, {
    'index.html': '<p>front',
    'deep/page.html': `<a href="https://${host}">`,
  });
  block(host);
  await rescan(perch);
  for (const path of ['', 'index.html', 'deep/page.html'])
    await expectError(await readSite(perch.last, site, path), 451, 'QUARANTINED');
  expect(await toldOwner(perch, site)).toMatchObject({ cause: 'link', part: 'deep/page.html' });
  expect(await jsonOf(await perch.request(siteApiPath(site), ownedBy(site)))).toMatchObject({ id: site.id });
  const bytes = { query: { part: 'deep/page.html' }, headers: ADMIN };
  expect(await (await perch.request(`/api/admin/items${shortPath(site)}/bytes`, bytes)).text()).toContain(
    host,
  );
});

test('of many starts at once one rescan comes, and it comes to each item once', async () => {
  await atOnce(20, (n) => perch.publish(`<p>item ${n}`, { query: { ns: 'many-items' } }));
  const answers = await atOnce(8, (n) => startRescan(n % 2 === 0 ? perch : perch.last));
  const told = await Promise.all(answers.map((answer) => jsonOf<Started>(answer)));
  const runs = new Set(told.map(({ run: { runId } }) => runId));
  expect(told.filter(({ started }) => started)).toHaveLength(runs.size);
  // On a busy machine the last start may come when the rescan has ended already.
  expect(runs.size).toBeWithin(1, 3);
  await eventually(async () => (await scansOf(perch)).runs[0]?.finishedAt !== null);
  const [run] = (await scansOf(perch)).runs;
  expect(run?.scanned).toBe(run?.queued ?? -1);
  expect(run?.queued).toBeGreaterThanOrEqual(20);
});

test('the console lists what is in quarantine, releases it and starts rescans, all in the audit trail', async () => {
  const { page, host } = await quarantined();
  const signedIn = await signIn(perch, ADMIN_PASSWORD);
  const text = await (await openPage(perch, '/admin/scans', signedIn)).text();
  expect(text).toContain(`public/${page.id}`);
  expect(text).toContain(host);
  const german = await perch.request('/admin/scans', {
    headers: { ...BROWSER, Cookie: signedIn.cookie, 'Accept-Language': 'de' },
  });
  expect(await german.text()).toContain('Gesperrte Link-Ziele');
  const finding = await findingOf(perch, page);
  expect(text).toContain(finding);
  const fields = { action: 'release', item: `public/${page.id}`, back: '/admin/scans', finding };
  expect((await act(perch, signedIn, '/admin/actions', fields)).status).toBe(303);
  expect((await perch.read(page)).status).toBe(200);
  const again = { action: 'rescan', back: '/admin/scans' };
  expect((await act(perch, signedIn, '/admin/actions', again)).status).toBe(303);
  const trail = await perch.request('/api/admin/audit', { headers: ADMIN });
  const entries = await jsonOf<Array<{ action: string; target: string; outcome: string }>>(trail);
  expect(entries).toContainEqual(
    expect.objectContaining({ action: 'release-item', target: `public/${page.id}`, outcome: 'done' }),
  );
  expect(entries).toContainEqual(expect.objectContaining({ action: 'start-rescan', outcome: 'done' }));
});
