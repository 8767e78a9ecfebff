import { beforeAll, expect, test } from 'bun:test';
import { strToU8, unzipSync, zipSync } from 'fflate';
import { readQrCodes } from '../qr-reader.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import { publish } from './publish.ts';
import { sharedTwoHosts } from './two-hosts.ts';

const visit = useBrowser();
let service: string;
let content: string;

beforeAll(async () => {
  ({ service, content } = await sharedTwoHosts());
}, START_LIMIT_MS);

const KEEPING = `<!doctype html><title>Keeps</title><p id="found"></p><script>
  try { localStorage.setItem('mine', 'kept'); } catch (error) {}
  document.getElementById('found').textContent = (() => {
    try { return window.origin + ' ' + localStorage.getItem('mine') + ' ' + document.cookie; }
    catch (error) { return window.origin + ' ' + error.name; }
  })();
</script>`;

test('a page is served on the content host only, where it keeps an origin of its own', async () => {
  const item = await publish(service, KEEPING);
  const { page } = await visit();
  await page.goto(`${service}/`);
  await inPage(
    page,
    "localStorage.setItem('marker', 'of the service'); document.cookie = 'marker=1; path=/'",
  );
  await page.goto(`${service}${item.path}?x=1`);
  expect(page.url()).toBe(`${content}${item.path}?x=1`);
  expect((await page.textContent('#found'))?.trim()).toBe(`${content} kept`);
  expect(await inPage(page, "localStorage.getItem('marker')")).toBeNull();
  await page.reload();
  expect((await page.textContent('#found'))?.trim()).toBe(`${content} kept`);
});

test('a protected page has no origin, and unlocks on the content host', async () => {
  const item = await publish(service, KEEPING, { password: 'secret' });
  const { page, context, complaints } = await visit();
  await page.goto(service + item.path);
  expect(page.url()).toBe(content + item.path);
  expect(await inPage<number>(page, 'document.styleSheets.length')).toBeGreaterThan(0);
  await page.fill('#password', 'secret');
  await page.click('button[type=submit]');
  await page.waitForSelector('#found');
  expect(await page.textContent('#found')).toBe('null SecurityError');
  expect(page.url()).toBe(content + item.path);
  expect((await context.cookies()).map(({ domain, path, httpOnly }) => ({ domain, path, httpOnly }))).toEqual(
    [{ domain: 'localhost', path: item.path, httpOnly: true }],
  );
  expect(complaints.filter((text) => !text.includes('status of 403'))).toEqual([]);
});

test('the password form opens an item whose address has letters percent-encoded', async () => {
  const item = await publish(service, '<p id="found">shown</p>', { password: 'secret' });
  const { page } = await visit();
  const [letter = ''] = item.id;
  const encoded = `%${letter.charCodeAt(0).toString(16)}${item.id.slice(1)}`;
  await page.goto(`${content}/${item.namespace}/${encoded}`);
  await page.fill('#password', 'secret');
  await page.click('button[type=submit]');
  expect(await page.textContent('#found')).toBe('shown');
});

test('a page on the content host cannot try passwords in the name of who looks at it', async () => {
  const item = await publish(service, '<p id="secret">hidden</p>', { password: 'secret' });
  const trying = await publish(service, '<!doctype html><title>Tries</title>');
  const { page } = await visit();
  await page.goto(trying.url);
  expect(await inPage<string>(page, 'window.origin')).toBe(content);
  const statuses = await inPage<number[]>(
    page,
    `(async () => {
      const shown = await fetch('${item.path}', { headers: { Accept: 'text/html' } });
      const mark = /name="mark" value="([^"]*)"/.exec(await shown.text())?.[1] ?? '';
      const statuses = [];
      for (let n = 0; n < 12; n++) {
        const body = new URLSearchParams({ password: 'wrong ' + n, to: '', mark });
        statuses.push((await fetch('/api${item.path}/unlock', { method: 'POST', body })).status);
      }
      return statuses;
    })()`,
  );
  expect(statuses).toEqual(Array(12).fill(403));
  await page.goto(item.url);
  await page.fill('#password', 'secret');
  await page.click('button[type=submit]');
  expect(await page.textContent('#secret')).toBe('hidden');
});

test('a page on the content host cannot read a protected one that the person has unlocked', async () => {
  const locked = await publish(service, '<p id="secret">hidden</p>', { password: 'secret' });
  const spy = await publish(service, '<!doctype html><title>Spy</title>');
  const { page } = await visit();
  await page.goto(locked.url);
  await page.fill('#password', 'secret');
  await page.click('button[type=submit]');
  await page.waitForSelector('#secret');
  await page.goto(spy.url);
  expect(await inPage<string>(page, 'window.origin')).toBe(content);
  const found = await inPage<Record<string, unknown>>(
    page,
    `(async () => {
      const answer = await fetch('${locked.path}', { credentials: 'include' });
      const frame = document.createElement('iframe');
      frame.src = '${locked.path}';
      document.body.append(frame);
      await new Promise((resolve) => { frame.onload = resolve; });
      let framed;
      try { framed = frame.contentDocument?.body.textContent ?? null; } catch (error) { framed = error.name; }
      return { fetched: answer.status, hasSecret: (await answer.text()).includes('hidden'), framed };
    })()`,
  );
  expect(found).toMatchObject({ fetched: 403, hasSecret: false, framed: null });
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    inPage(page, `void (window.other = window.open('${locked.path}'))`),
  ]);
  await popup.waitForLoadState();
  expect(
    await inPage<string>(
      page,
      '(() => { try { return window.other.document.body.textContent } catch (error) { return error.name } })()',
    ),
  ).toBe('SecurityError');
});

test('a page that the API shows on the service host has no origin', async () => {
  const item = await publish(service, KEEPING);
  const { page } = await visit();
  await page.goto(`${service}/api/html${item.path}`);
  expect(await page.textContent('#found')).toBe('null SecurityError');
});

test('a page cannot put a worker before the others', async () => {
  const script = await publish(service, 'self.onfetch = () => undefined;', { type: 'text/javascript' });
  const item = await publish(service, '<!doctype html><title>Worker</title>');
  const { page } = await visit();
  await page.goto(item.url);
  const outcome = await inPage<string>(
    page,
    `navigator.serviceWorker.register('${script.path}?raw=true').then(() => 'registered', (error) => error.name)`,
  );
  expect(outcome).toBe('TypeError');
});

test('the content host has neither the API nor the pages of the service', async () => {
  const item = await publish(service, '<p>x');
  const get = (path: string) => fetch(content + path, { headers: { 'User-Agent': 'PerchTests/1' } });
  for (const path of [
    `/api/html${item.path}`,
    '/api/html',
    `/api/html${item.path}/settings`,
    '/metrics/x',
    '/s/abcdefg',
  ])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  const home = await get('/');
  expect([home.url, home.redirected]).toEqual([`${service}/`, true]);
  const create = await fetch(`${content}/api/html`, {
    method: 'POST',
    headers: { 'User-Agent': 'PerchTests/1', 'Content-Type': 'text/html' },
    body: '<p>x',
  });
  expect(create.status).toBe(404);
});

test('previews and archives are on the service host, QR codes on both, and all lead to the service host', async () => {
  const item = await publish(service, '<!doctype html><title>Shared</title><p>x');
  const get = (address: string, headers: Record<string, string> = {}) =>
    fetch(address, { redirect: 'manual', headers: { 'User-Agent': 'PerchTests/1', ...headers } });
  const html = await (await get(content + item.path)).text();
  const picture = `${service}/preview${item.path}.png`;
  expect(html).toContain(`<meta property="og:image" content="${picture}">`);
  expect(html).toContain(`<link rel="canonical" href="${content}${item.path}">`);
  const drawn = await get(picture);
  expect([drawn.status, drawn.headers.get('Content-Type')]).toEqual([200, 'image/png']);
  const page = await (await get(`${service}/preview-html${item.path}`)).text();
  expect(page).toContain(`<meta property="og:url" content="${service}${item.path}">`);
  for (const path of [`/preview${item.path}.png`, `/preview-html${item.path}`]) {
    const moved = await get(content + path);
    expect([moved.status, moved.headers.get('Location')]).toEqual([302, service + path]);
  }
  for (const host of [service, content]) {
    const code = await get(`${host}${item.path}.qr.png`);
    expect([code.status, await readQrCodes(await code.bytes())]).toEqual([200, [service + item.path]]);
  }
  const zip = zipSync({ 'index.html': strToU8('<p>x') });
  const headers = { 'Content-Type': 'application/zip', 'User-Agent': 'PerchTests/1', 'X-Password': 'sesame' };
  const created = await fetch(`${service}/api/sites`, { method: 'POST', headers, body: zip });
  const { namespace, id } = (await created.json()) as { namespace: string; id: string };
  const path = `/api/sites/${namespace}/${id}/archive`;
  const password = { 'X-Password': 'sesame' };
  expect((await get(service + path)).status).toBe(403);
  expect((await get(content + path, password)).status).toBe(404);
  const archive = await get(service + path, password);
  expect(Object.keys(unzipSync(await archive.bytes()))).toEqual(['index.html']);
});

test('the bar leads back to the service, and so does an error page', async () => {
  const item = await publish(service, '<!doctype html><title>Barred</title><p>x', {
    query: { showTopBar: 'true' },
  });
  const { page, complaints } = await visit();
  await page.goto(item.url);
  const report = await page.locator('perch-bar').getByRole('link', { name: 'Report' }).getAttribute('href');
  expect(new URL(report ?? '', item.url).origin).toBe(service);
  await page.goto(`${content}/public/nothing-here`);
  expect(await inPage<number>(page, 'document.styleSheets.length')).toBeGreaterThan(0);
  await page.click('main a.button');
  await page.waitForURL(`${service}/`);
  expect(complaints.filter((text) => !text.includes('status of 404'))).toEqual([]);
});
