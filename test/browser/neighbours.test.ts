import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { NO_SERVERS } from '../../infra/environment.ts';
import { freePort } from '../../infra/servers/port.ts';
import { type ServiceProcess, startService } from '../../infra/service-process.ts';
import { inPage, launchBrowser, START_LIMIT_MS } from './browser.ts';
import { uploadSite } from './uploads.ts';

setDefaultTimeout(240_000);

const MARK = 'mine alone';

/** A site that keeps all that a browser lets it keep. */
const KEEPER = {
  'index.html': `<!doctype html><title>Keeper</title><link rel="stylesheet" href="/style.css">
<script type="module" src="/app.js"></script><p id="frame"></p>`,
  'style.css': 'p { color: rgb(1, 2, 3) }',
  'app.js': `
    import { name } from '/part.js';
    addEventListener('message', ({ data }) => { document.title = 'got ' + data; });
    new BroadcastChannel('news').onmessage = ({ data }) => { document.title = 'heard ' + data; };
    try { document.domain = location.hostname.split('.').slice(1).join('.'); } catch {}
    localStorage.setItem('mark', name);
    document.cookie = 'mark=1; SameSite=Lax';
    await (await caches.open('mark')).put('/kept', new Response(name));
    indexedDB.open('mark');
    await navigator.serviceWorker.register('/worker.js');
    await navigator.serviceWorker.ready;
    document.documentElement.dataset.ready = 'yes';`,
  'part.js': `export const name = '${MARK}';`,
  'worker.js': `
    addEventListener('activate', (event) => event.waitUntil(clients.claim()));
    addEventListener('fetch', (event) => {
      if (event.request.url.endsWith('/of-the-worker')) event.respondWith(new Response('from the worker'));
    });`,
};

const HOSTILE = {
  'index.html': '<!doctype html><title>Hostile</title>',
  'worker.js': `addEventListener('fetch', (event) => {
    if (event.request.url.startsWith(origin)) event.respondWith(new Response('taken over'));
  });`,
};

/** The scripts of the hostile site, with `keeper` and `service` being origins. Each ends in a text, or throws. */
const ATTEMPTS = {
  'read storage':
    "[localStorage.getItem('mark'), (await indexedDB.databases()).length, (await caches.keys()).length].join()",
  'read cookies': "document.cookie.includes('mark') ? 'read' : 'none'",
  'register a worker of the other':
    "await navigator.serviceWorker.register(keeper + '/worker.js').then(() => 'registered')",
  'register a worker for the other':
    "await navigator.serviceWorker.register('/worker.js', { scope: keeper + '/' }).then(() => 'registered')",
  'fetch with cookies':
    "await fetch(keeper, { credentials: 'include' }).then(({ status }) => 'read ' + status)",
  'reach into a frame': `await (async () => {
    const frame = document.createElement('iframe');
    frame.src = keeper + '/';
    const loaded = new Promise((resolve) => { frame.onload = resolve; });
    document.body.append(frame);
    await loaded;
    frame.contentWindow.postMessage('in the frame', '*');
    return frame.contentDocument === null ? 'closed' : frame.contentDocument.title;
  })()`,
  'hold a window': `await (async () => {
    const opened = open(keeper + '/');
    for (let tries = 0; tries < 1_000 && !opened.closed; tries++) {
      opened.postMessage('from outside', '*');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return opened.closed ? 'let go' : String(opened.length);
  })()`,
  'talk over a channel': "(new BroadcastChannel('news').postMessage('over a channel'), 'sent')",
  'share an origin by document.domain':
    "(document.domain = location.hostname.split('.').slice(1).join('.'), 'set')",
  'read the API with cookies':
    "await fetch(service + '/api/limits', { credentials: 'include' }).then(() => 'read')",
  'call the API on its own host': "String((await fetch('/api/html', { method: 'POST', body: 'x' })).status)",
  'report in the name of a visitor':
    "await fetch(service + '/api/reports', { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }).then(({ status }) => String(status))",
  'frame the service': `await (async () => {
    const frame = document.createElement('iframe');
    frame.src = service + '/';
    document.body.append(frame);
    await new Promise((resolve) => { frame.onload = resolve; });
    return frame.contentDocument === null ? 'closed' : 'open';
  })()`,
} as const;

const GOT: Record<keyof typeof ATTEMPTS, string> = {
  'read storage': ',0,0',
  'read cookies': 'none',
  'register a worker of the other': 'SecurityError',
  'register a worker for the other': 'SecurityError',
  'fetch with cookies': 'TypeError',
  'reach into a frame': 'closed',
  'hold a window': 'let go',
  'talk over a channel': 'sent',
  'share an origin by document.domain': 'set',
  'read the API with cookies': 'TypeError',
  'call the API on its own host': '405',
  'report in the name of a visitor': '403',
  'frame the service': 'closed',
};

/**
 * Two domains: to browsers each host below `localhost` is a site of its own, as below a domain of the Public Suffix List; those
 * below another domain are one site.
 */
describe.each([
  { domain: 'localhost', oneSite: false },
  { domain: 'items.test', oneSite: true },
])('two items below $domain', ({ domain, oneSite }) => {
  let dir: string;
  let perch: ServiceProcess;
  let browser: Browser;
  let context: BrowserContext;
  let service: string;
  let keeper: string;
  let hostile: string;

  /** The address of the host that an item is served at. */
  const originOf = async (path: string): Promise<string> => {
    const led = await fetch(`${service}${path}`, { redirect: 'manual', headers: { 'User-Agent': 'test' } });
    return new URL(led.headers.get('Location') ?? '').origin;
  };

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'perch-neighbours-'));
    // The database server runs as a user of its own and must get in, else its data goes elsewhere and stays there.
    await chmod(dir, 0o755);
    const port = await freePort();
    service = `http://127.0.0.1:${port}`;
    const env = {
      ...NO_SERVERS,
      DATA_DIR: join(dir, 'data'),
      BASE_URL: service,
      CONTENT_BASE_URL: `http://*.${domain}:${port}`,
    };
    perch = await startService('embedded', { dir, port, env });
    keeper = await originOf((await uploadSite(service, KEEPER)).path);
    hostile = await originOf((await uploadSite(service, HOSTILE)).path);
    const args = [
      `--host-resolver-rules=MAP *.${domain} 127.0.0.1`,
      `--unsafely-treat-insecure-origin-as-secure=${keeper},${hostile}`,
    ];
    browser = await launchBrowser({ build: 'chromium', args });
    context = await browser.newContext();
  }, START_LIMIT_MS);

  afterAll(async () => {
    await browser.close();
    await perch.stop();
    await rm(dir, { recursive: true, force: true });
  }, START_LIMIT_MS);

  const opened = async (address: string): Promise<Page> => {
    const page = await context.newPage();
    await page.goto(address);
    return page;
  };

  const attempt = (page: Page, script: string): Promise<string> =>
    inPage(
      page,
      `(async () => {
        const keeper = '${keeper}', service = '${service}';
        try { return String(${script}); } catch (error) { return error.name; }
      })()`,
    );

  test('what a site keeps, it has to itself', async () => {
    const own = await opened(`${keeper}/`);
    await own.waitForSelector('html[data-ready=yes]');
    expect(await inPage(own, "getComputedStyle(document.getElementById('frame')).color")).toBe(
      'rgb(1, 2, 3)',
    );
    await own.reload();
    await own.waitForSelector('html[data-ready=yes]');
    expect(await inPage(own, "[origin, localStorage.getItem('mark'), document.cookie]")).toEqual([
      keeper,
      MARK,
      'mark=1',
    ]);
    expect(await inPage(own, "fetch('/of-the-worker').then((response) => response.text())")).toBe(
      'from the worker',
    );

    const page = await opened(`${hostile}/`);
    const got: Record<string, string> = {};
    for (const [name, script] of Object.entries(ATTEMPTS)) got[name] = await attempt(page, script);
    expect(got).toEqual({ ...GOT, 'share an origin by document.domain': oneSite ? 'set' : 'SecurityError' });

    // Nothing of it has reached the other, or the window that was opened.
    expect(await own.title()).toBe('Keeper');
    for (const other of context.pages().filter((one) => one.url().startsWith(keeper))) {
      expect(await other.title()).toBe('Keeper');
      expect(await inPage(other, 'opener')).toBeNull();
    }
    expect(await inPage(own, "localStorage.getItem('mark')")).toBe(MARK);
  });

  test('a frame of a neighbour shows the item only where browsers keep its storage apart', async () => {
    const page = await opened(`${hostile}/`);
    await inPage(
      page,
      `new Promise((resolve) => {
        const frame = document.createElement('iframe');
        frame.src = '${keeper}/';
        frame.onload = resolve;
        document.body.append(frame);
      })`,
    );
    const frame = page
      .frames()
      .find((one) => one.url().startsWith(keeper) || one.url().startsWith('chrome-error'));
    expect(await frame?.title()).not.toBe(oneSite ? 'Keeper' : '');
  });

  test('the password form leads to the host, where the site has its cookie and its storage', async () => {
    const files = {
      'index.html': '<!doctype html><title>Protected</title><script type="module" src="/part.js"></script>',
      'part.js': "localStorage.setItem('mark', 'here'); document.documentElement.dataset.ready = 'yes';",
    };
    const item = await uploadSite(service, files, { password: 'right' });
    const page = await opened(`${service}${item.path}`);
    await page.fill('#password', 'right');
    await page.click('button[type=submit]');
    await page.waitForSelector('html[data-ready=yes]', { state: 'attached' });
    const { origin, search } = new URL(page.url());
    expect([new URL(origin).hostname.endsWith(`.${domain}`), search]).toEqual([true, '']);
    await page.reload();
    expect(await page.title()).toBe('Protected');
    const other = await opened(`${hostile}/missing`);
    const read = await attempt(
      other,
      `(await fetch('${origin}/part.js', { mode: 'no-cors', credentials: 'include' })).type`,
    );
    expect(read).toBe('TypeError');
  });

  test('a worker of a hostile site meets no request of others', async () => {
    const page = await opened(`${hostile}/`);
    await inPage(
      page,
      "navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready)",
    );
    await page.reload();
    expect(await page.textContent('body')).toBe('taken over');
    const own = await opened(`${keeper}/part.js`);
    expect(await own.textContent('body')).toContain(MARK);
    const home = await opened(`${service}/`);
    expect(await home.title()).toContain('Perch');
    expect(await inPage<string[]>(home, 'Object.keys(localStorage)')).toEqual([]);
  });

  test('cookies for the domain reach neighbours where it is no public suffix, and never the service', async () => {
    const page = await opened(`${hostile}/style.css`);
    await inPage(page, `document.cookie = 'planted=1; domain=${domain}; path=/'`);
    const own = await opened(`${keeper}/part.js`);
    expect(await inPage<string>(own, 'document.cookie')).toBe(oneSite ? 'mark=1; planted=1' : 'mark=1');
    expect(await inPage<string>(await opened(`${service}/`), 'document.cookie')).toBe('');
    expect(await inPage<string>(page, 'document.cookie')).not.toContain('mark');
  });

  test('the cache does not tell a neighbour whether somebody was there', async () => {
    const visit = "fetch('/style.css').then((response) => Number(response.headers.get('X-Views')))";
    const own = await opened(`${keeper}/part.js`);
    const views = await inPage<number>(own, visit);
    // From the cache comes the answer of before.
    expect(await inPage<number>(own, visit)).toBe(views);
    const page = await opened(`${hostile}/missing`);
    const asked = await attempt(
      page,
      "(await fetch(keeper + '/style.css', { cache: 'force-cache' })).headers.get('X-Views')",
    );
    expect(Number(asked)).toBeGreaterThan(views);
  });
});
