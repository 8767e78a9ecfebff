import { beforeAll, expect, test } from 'bun:test';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser, type Visitor } from './browser.ts';
import { type Published, publish } from './publish.ts';

const visit = useBrowser();
let perch: Instance;
let secret: Published;

beforeAll(async () => {
  perch = await sharedInstance('embedded');
  secret = await publish(perch.url, '<p id="secret">the protected text</p>', { password: 'open sesame' });
}, START_LIMIT_MS);

/** A person whose browser keeps something of the service's origin, and who has unlocked the protected page. */
async function someoneWithSecrets(): Promise<Visitor> {
  const visitor = await visit();
  const { page } = visitor;
  await page.goto(`${perch.url}/`);
  await inPage(
    page,
    `localStorage.setItem('marker', 'of the service'); sessionStorage.setItem('marker', 'of the service');
     document.cookie = 'marker=of-the-service; path=/; max-age=600';
     new Promise((resolve, reject) => {
       const opening = indexedDB.open('marker', 1);
       opening.onsuccess = () => { opening.result.close(); resolve(true); };
       opening.onerror = reject;
     })`,
  );
  await page.goto(perch.url + secret.path);
  await page.fill('#password', 'open sesame');
  await page.click('button[type=submit]');
  await page.waitForSelector('#secret');
  return visitor;
}

/** A page whose script tries each probe and writes down what it got: its value, or the name of the error. */
function probing(probes: Record<string, string>): string {
  const attempts = Object.entries(probes).map(
    ([name, code]) => `[${JSON.stringify(name)}, async () => { ${code} }]`,
  );
  return `<!doctype html><title>Probes</title><pre id="found"></pre><script>
    const caught = (error) => (error && error.name) || String(error);
    (async () => {
      const found = {};
      for (const [name, attempt] of [${attempts.join(',')}]) {
        try { found[name] = String(await attempt()); } catch (error) { found[name] = caught(error); }
      }
      document.getElementById('found').textContent = JSON.stringify(found);
    })();
  </script>`;
}

async function findings(page: Visitor['page']): Promise<Record<string, string>> {
  await page.waitForFunction("document.getElementById('found')?.textContent");
  return JSON.parse(await inPage<string>(page, "document.getElementById('found').textContent"));
}

test('a hosted script runs, and finds nothing of the origin it was served from', async () => {
  const hosted = await publish(
    perch.url,
    probing({
      ran: "document.title = 'It ran'; return true",
      origin: 'return window.origin',
      localStorage: "return localStorage.getItem('marker')",
      sessionStorage: "return sessionStorage.getItem('marker')",
      cookie: 'return document.cookie',
      setCookie: "document.cookie = 'planted=1; path=/'; return true",
      indexedDB: `return await new Promise((resolve, reject) => {
        const opening = indexedDB.open('marker', 1);
        opening.onsuccess = () => resolve('open');
        opening.onerror = () => reject(opening.error);
      })`,
      caches: "return await caches.open('marker')",
      serviceWorker: "return await navigator.serviceWorker.register('/assets/home.en.js')",
    }),
  );
  const { page, context } = await someoneWithSecrets();
  await page.goto(hosted.url);
  expect(await findings(page)).toEqual({
    ran: 'true',
    origin: 'null',
    localStorage: 'SecurityError',
    sessionStorage: 'SecurityError',
    cookie: 'SecurityError',
    setCookie: 'SecurityError',
    indexedDB: 'SecurityError',
    caches: 'SecurityError',
    serviceWorker: 'SecurityError',
  });
  expect(await page.title()).toBe('It ran');
  expect((await context.cookies(perch.url)).map((cookie) => cookie.name)).not.toContain('planted');
});

test('a hosted script cannot use what the person may read', async () => {
  const { path } = secret;
  const reading = (credentials: string) =>
    `const answer = await fetch('${path}', { credentials: '${credentials}' }); return answer.status`;
  const api = (credentials: string) =>
    `const answer = await fetch('/api/html${path}', { credentials: '${credentials}' }); return answer.status`;
  const hosted = await publish(
    perch.url,
    probing({
      pageWithCredentials: reading('include'),
      pageSameOrigin: reading('same-origin'),
      apiWithCredentials: api('include'),
      apiSameOrigin: api('same-origin'),
      xhr: `return await new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        request.open('GET', '${path}');
        request.withCredentials = true;
        request.onload = () => resolve(request.responseText);
        request.onerror = () => reject(new TypeError('blocked'));
        request.send();
      })`,
      frame: `const frame = document.createElement('iframe');
        frame.src = '${path}';
        document.body.append(frame);
        await new Promise((resolve) => { frame.onload = resolve; });
        return frame.contentDocument`,
      // Until the answer is there, a popup shows an empty page of who opened it.
      popup: `const popup = window.open('${path}');
        let text = '';
        while (text === '') {
          await new Promise((resolve) => setTimeout(resolve, 20));
          text = popup.document.body?.textContent ?? '';
        }
        return text`,
    }),
  );
  const { page, context } = await someoneWithSecrets();
  const sent: Array<Promise<Record<string, string>>> = [];
  page.on('request', (request) => {
    if (request.url().endsWith(path) && request.frame() === page.mainFrame()) sent.push(request.allHeaders());
  });
  await page.goto(hosted.url);
  expect(await findings(page)).toEqual({
    pageWithCredentials: 'TypeError',
    pageSameOrigin: '403',
    apiWithCredentials: 'TypeError',
    apiSameOrigin: '403',
    xhr: 'TypeError',
    frame: 'null',
    popup: 'SecurityError',
  });
  for (const headers of await Promise.all(sent)) expect(headers.cookie).toBeUndefined();
  expect(sent.length).toBe(5);
  for (const frame of page.frames()) expect(await frame.locator('#secret').count()).toBe(0);

  await page.goto(secret.url);
  expect(await page.textContent('#secret')).toBe('the protected text');
  expect((await context.cookies(perch.url)).map((cookie) => cookie.name)).toContain('marker');
});

test('a hosted page cannot reach or move the page of the service that opened it', async () => {
  const hosted = await publish(
    perch.url,
    probing({
      opener: 'return window.opener === null',
      document: 'return window.opener.document.title',
      storage: "return window.opener.localStorage.getItem('marker')",
      navigation: "window.opener.location = '/public/elsewhere'; return 'asked'",
    }),
  );
  const { page } = await someoneWithSecrets();
  await page.goto(`${perch.url}/`);
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    inPage(page, `void window.open(${JSON.stringify(hosted.url)})`),
  ]);
  expect(await findings(popup)).toEqual({
    opener: 'false',
    document: 'SecurityError',
    storage: 'SecurityError',
    navigation: 'SecurityError',
  });
  expect(page.url()).toBe(`${perch.url}/`);
});

test('two hosted pages are strangers to each other, and the service is not framed', async () => {
  const inner = await publish(
    perch.url,
    probing({
      parent: 'return window.parent.document.title',
      top: 'return window.top.localStorage',
      name: 'return window.parent.secretOfParent',
    }),
  );
  const outer = await publish(
    perch.url,
    `<!doctype html><title>Outer</title><script>var secretOfParent = 1</script>
     <iframe id="page" src="${inner.path}"></iframe><iframe id="home" src="/"></iframe>`,
  );
  const { page } = await someoneWithSecrets();
  await page.goto(outer.url, { waitUntil: 'load' });
  const child = page.frames().find((frame) => frame.url() === inner.url);
  if (child === undefined) throw new Error('the inner page is not there');
  await child.waitForFunction("document.getElementById('found')?.textContent");
  expect(JSON.parse(await inPage<string>(child, "document.getElementById('found').textContent"))).toEqual({
    parent: 'SecurityError',
    top: 'SecurityError',
    name: 'SecurityError',
  });
  expect(await inPage<boolean>(page, "document.getElementById('page').contentDocument === null")).toBe(true);
  for (const frame of page.frames()) expect(await frame.locator('#publish-form').count()).toBe(0);
});

test("the service's own pages run no hosted script", async () => {
  const script = await publish(perch.url, "document.documentElement.dataset.ran = 'yes'", {
    type: 'application/javascript',
  });
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/`);
  const outcome = await inPage<string>(
    page,
    `new Promise((resolve) => {
      const element = document.createElement('script');
      element.onload = () => resolve('loaded');
      element.onerror = () => resolve('refused');
      element.src = '${script.path}?raw=true';
      document.head.append(element);
    })`,
  );
  expect(outcome).toBe('refused');
  await inPage(
    page,
    `document.head.append(Object.assign(document.createElement('script'), {
      textContent: "document.documentElement.dataset.ran = 'inline'" }))`,
  );
  expect(await inPage(page, 'document.documentElement.dataset.ran ?? null')).toBeNull();
  expect(complaints.filter((text) => text.includes('Content Security Policy')).length).toBe(2);
});
