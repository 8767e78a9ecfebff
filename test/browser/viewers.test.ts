import { beforeAll, describe, expect, test } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { until } from '../faults/waiting.ts';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import { publish } from './publish.ts';
import { sharedTwoHosts } from './two-hosts.ts';
import { createStore, publishJson, uploadFile } from './uploads.ts';

const visit = useBrowser();
let perch: Instance;

beforeAll(async () => {
  perch = await sharedInstance('embedded');
}, START_LIMIT_MS);

const CODE = Array.from({ length: 300 }, (_, at) => `print(${at + 1})`).join('\n');

/** The numbers of the lines that are marked. */
const marked = (page: Page): Promise<number[]> =>
  inPage(
    page,
    "[...document.querySelectorAll('.lines > span')].flatMap((line, at) => line.matches('.marked') ? [at + 1] : [])",
  );

/** Whether a line is in sight. */
const isInSight = (page: Page, line: number): Promise<boolean> =>
  inPage(
    page,
    `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(document.querySelector('#L${line}').getBoundingClientRect())`,
  );

describe('a text page', () => {
  test('is copied, downloaded and seen raw, and called by its id', async () => {
    const text = 'one <b>\ntwo &amp;\n';
    const { page, complaints } = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    const published = await publish(perch.url, text, { type: 'text/plain' });
    await page.goto(published.url);
    expect([await page.title(), await page.textContent('h1')]).toEqual([published.id, published.id]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe(`${published.id}.txt`);
    await page.getByRole('link', { name: 'Raw' }).click();
    await page.waitForURL(/raw=true/);
    expect(await page.textContent('body')).toBe(text);
    await page.goto(`${perch.url}/mine`);
    expect(await inPage<string>(page, 'navigator.clipboard.readText()')).toBe(text);
    expect(complaints).toEqual([]);
  });

  test('has its links once, without script too, and speaks the language of its reader', async () => {
    const published = await publish(perch.url, 'one', { type: 'text/plain' });
    const barred = await publish(perch.url, 'one', { type: 'text/plain', query: { showTopBar: 'true' } });
    const labels = async (options: Parameters<typeof visit>[0], { url }: { url: string }) => {
      const { page } = await visit(options);
      await page.goto(url);
      return (await page.locator('a, main button, main label').allInnerTexts()).map((text) => text.trim());
    };
    expect(await labels({ javaScriptEnabled: false }, published)).toEqual(['Download', 'Raw']);
    expect(await labels({ locale: 'de' }, published)).toEqual([
      'Herunterladen',
      'Original',
      'Kopieren',
      'Zeile',
    ]);
    expect(await labels({}, barred)).toEqual(['Download', 'Raw', 'Report', 'Line', 'Copy']);
  });

  test('says what it is in the language of its reader', async () => {
    const facts = async (text: string, type: string, locale: string): Promise<string | null> => {
      const { url } = await publish(perch.url, text, { type });
      const { page } = await visit({ locale });
      await page.goto(url);
      return await page.textContent('main.file > header > p');
    };
    expect(await facts('one', 'text/plain', 'en')).toBe('Plain text · 1 line · 3 bytes');
    expect(await facts('one', 'text/plain', 'de')).toBe('Reiner Text · 1 Zeile · 3 Bytes');
    expect(await facts('a: 1\n'.repeat(500), 'text/yaml', 'de')).toBe('YAML · 500 Zeilen · 2,4 KB');
    const cut = await facts(`a\n${'<'.repeat(1_000_001)}`, 'text/plain', 'de');
    expect(cut).toBe('Reiner Text · gekürzt auf 2 Zeilen · 977 KB');
  });
});

describe('code', () => {
  test('has links to lines: of the address, by clicks on numbers, and by the keyboard', async () => {
    const { page, complaints } = await visit();
    const file = await uploadFile(perch.url, 'count.py', CODE);
    await page.goto(`${file.url}#L120-L122`);
    await page.waitForSelector('.marked');
    expect(await marked(page)).toEqual([120, 121, 122]);
    expect(await isInSight(page, 121)).toBe(true);
    await page.locator('#L125').click({ position: { x: 3, y: 5 } });
    expect(page.url()).toEndWith('#L125');
    await page.locator('#L123').click({ position: { x: 3, y: 5 }, modifiers: ['Shift'] });
    expect(page.url()).toEndWith('#L123-L125');
    expect(await marked(page)).toEqual([123, 124, 125]);
    // A click into the code is for selecting text.
    await page.locator('#L130').click({ position: { x: 90, y: 5 } });
    expect(await marked(page)).toEqual([123, 124, 125]);
    await page.getByLabel('Line').fill('2-4');
    await page.keyboard.press('Enter');
    expect(page.url()).toEndWith('#L2-L4');
    expect([await marked(page), await isInSight(page, 2)]).toEqual([[2, 3, 4], true]);
    expect(await inPage<string>(page, 'document.activeElement.id')).toBe('L2');
    await page.goto(`${file.url}#L0-L999999`);
    await page.reload();
    await page.waitForSelector('.marked');
    expect((await marked(page)).length).toBe(300);
    await page.goto(`${file.url}#elsewhere`);
    expect(await marked(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('leads to a line without script', async () => {
    const { page } = await visit({ javaScriptEnabled: false });
    const file = await uploadFile(perch.url, 'count.py', CODE);
    await page.goto(`${file.url}#L200`);
    const box = await page.locator('#L200').boundingBox();
    expect(box?.y).toBeLessThan(720);
  });
});

const lines = (page: Page): Promise<string[]> =>
  inPage(page, "[...document.querySelectorAll('[role=treeitem]')].map((line) => line.textContent)");

const viewsOf = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
  Number(
    (await fetch(url, { method: 'HEAD', headers: { 'User-Agent': 'PerchTests/1', ...headers } })).headers.get(
      'X-Views',
    ),
  );

const DOCUMENT = {
  name: 'Perch',
  big: 1,
  list: Array.from({ length: 30 }, (_, at) => ({ at, note: `entry ${at}` })),
  hostile: `<img src=x onerror="document.title='ran'">`,
  'a key\u202Egnp.exe': '\u202Egnp.exe',
};

describe('a document', () => {
  test('is a tree: opened, searched, walked by keys, its paths copied', async () => {
    const { page, context, complaints } = await visit();
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: perch.url });
    const text = JSON.stringify(DOCUMENT).replace('"big":1', '"big":12345678901234567890.50');
    const created = await publishJson(perch.url, text);
    await page.goto(created.url);
    await page.waitForSelector('[role=treeitem]');
    expect(await lines(page)).toEqual([
      '{ 5 members }',
      'name: "Perch"',
      'big: 12345678901234567890.50',
      'list: [ 30 elements ]',
      `hostile: ${JSON.stringify(DOCUMENT.hostile)}`,
      'a key\u202Egnp.exe: "\u202Egnp.exe"',
    ]);
    await page.locator('[role=treeitem]', { hasText: 'list:' }).click();
    await page.locator('[role=treeitem]', { hasText: '2: { 2 members }' }).first().click();
    expect((await lines(page)).some((line) => line === 'note: "entry 2"')).toBe(true);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    expect(await page.textContent('.viewer-path')).toBe('$.list[2].note');
    await page.getByRole('button', { name: 'Copy path' }).click();
    await until(
      'the path is copied',
      async () => (await inPage(page, 'navigator.clipboard.readText()')) === '$.list[2].note',
    );
    await page.getByLabel('Search names and values').fill('ENTRY 2');
    await page.getByText('1 of 11').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('2 of 11').waitFor();
    expect(await page.textContent('.viewer-path')).toBe('$.list[20].note');
    expect(await page.locator('[aria-selected=true]').textContent()).toBe('note: "entry 20"');
    expect(await page.title()).not.toBe('ran');
    expect(await viewsOf(created.url)).toBe(1);
    expect(complaints).toEqual([]);
    await page.getByRole('link', { name: 'Raw', exact: true }).click();
    await page.waitForURL(/raw=true/);
    expect(await page.textContent('body')).toBe(text);
  });

  test('shows what a search has found, also far below in what was closed before', async () => {
    const { page } = await visit();
    const list = Array.from({ length: 300 }, (_, at) => ({ at, name: `n${at}` }));
    await page.goto((await publishJson(perch.url, JSON.stringify({ title: 'long', list }))).url);
    await page.getByLabel('Search names and values').fill('n250');
    await page.getByText('1 of 1').waitFor();
    expect(await page.locator('[aria-selected=true]').allTextContents()).toEqual(['name: "n250"']);
    const isInSight = `(({ top, bottom }, tree) => top >= tree.top && bottom <= tree.bottom)(
      document.querySelector('[aria-selected=true]').getBoundingClientRect(),
      document.querySelector('[role=tree]').getBoundingClientRect(),
    )`;
    expect(await inPage<boolean>(page, isInSight)).toBe(true);
  });

  test('of a megabyte, of any depth, and of one line of five megabytes is opened and walked', async () => {
    const { page, complaints } = await visit();
    const deep = 10_000;
    for (const [name, text, first] of [
      ['long.json', `[${'0,'.repeat(2_000_000)}0]`, '[ 2,000,001 elements ]'],
      ['deep.json', `${'{"a":['.repeat(deep)}1${']}'.repeat(deep)}`, '{ 1 member }'],
      ['line.json', JSON.stringify('x'.repeat(5_000_000)), `"${'x'.repeat(299)}… 5,000,002 characters`],
    ] as const) {
      const file = await uploadFile(perch.url, name, text);
      await page.goto(file.url);
      await page.waitForSelector('[role=treeitem]');
      expect((await lines(page))[0]).toBe(first);
      await page.getByRole('button', { name: 'Open all' }).click();
      await page.getByRole('tree').press('End');
      expect((await lines(page)).length).toBeLessThan(100);
    }
    expect(complaints).toEqual([]);
  });

  test('that is none, and one that is read without script, are shown as text', async () => {
    const { page } = await visit();
    const broken = await uploadFile(perch.url, 'broken.json', '{"a": <b>1}');
    await page.goto(broken.url);
    await page.getByText('This is not valid JSON').waitFor();
    expect(await page.textContent('.data-source')).toBe('{"a": <b>1}');
    await page.getByRole('link', { name: 'Source', exact: true }).click();
    await page.waitForSelector('.lines');
    const { page: scriptless } = await visit({ javaScriptEnabled: false });
    await scriptless.goto((await publishJson(perch.url, JSON.stringify(DOCUMENT))).url);
    expect(await scriptless.textContent('.data-source')).toContain('"name":"Perch"');
  });

  test('that is protected is loaded with a ticket, on a host of its own as well', async () => {
    const twoHosts = await sharedTwoHosts();
    for (const service of [perch.url, twoHosts.service]) {
      const { page, complaints } = await visit();
      const created = await publishJson(service, '{"secret":1}', 'open sesame');
      await page.goto(created.url);
      await page.fill('#password', 'open sesame');
      await page.click('button[type=submit]');
      await page.getByText('secret').waitFor();
      await page.getByRole('tree').waitFor();
      expect(await viewsOf(page.url(), { 'X-Password': 'open sesame' })).toBe(1);
      expect(complaints.filter((text) => !text.includes('status of 403'))).toEqual([]);
    }
  });
});

const cells = (page: Page, column: number): Promise<string[]> =>
  inPage(
    page,
    `[...document.querySelectorAll('.csv tbody tr:not(.csv-room)')].map((row) => row.children[${column}].textContent)`,
  );

describe('separated values', () => {
  test('are a table of 100,000 rows that is sorted, searched and read by keys', async () => {
    const { page, complaints } = await visit();
    const rows = Array.from({ length: 100_000 }, (_, at) => `${(at * 7919) % 100_000},name ${at},"a, b"`);
    const file = await uploadFile(perch.url, 'rows.csv', `number,name,note\n${rows.join('\n')}\n`);
    await page.goto(file.url);
    await page.getByText('100,000 rows', { exact: true }).waitFor();
    expect((await cells(page, 1)).slice(0, 3)).toEqual(['0', '7919', '15838']);
    expect((await cells(page, 1)).length).toBeLessThan(100);
    await page.getByRole('button', { name: 'number' }).click();
    expect((await cells(page, 1)).slice(0, 3)).toEqual(['0', '1', '2']);
    expect(await page.getByRole('columnheader', { name: 'number' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    await page.getByRole('button', { name: 'number' }).click();
    expect((await cells(page, 1)).slice(0, 2)).toEqual(['99999', '99998']);
    await page.getByLabel('Search rows').fill('name 4242');
    await page.getByText('11 of 100,000 rows').waitFor();
    await page.locator('.csv-number[tabindex="0"]').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    expect(await page.locator('dialog dd').last().textContent()).toBe('a, b');
    await page.keyboard.press('Escape');
    // Closed, it gives the focus back to its row, which a field filled at that moment would lose.
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.getByLabel('Search rows').fill('');
    await page.getByText('100,000 rows', { exact: true }).waitFor();
    await page.locator('.csv-number[tabindex="0"]').press('End');
    expect((await cells(page, 1)).at(-1)).toBe('0');
    await page.getByLabel('The first row has the names').uncheck();
    await page.getByText('100,001 rows', { exact: true }).waitFor();
    expect(await page.locator('input[type=checkbox]:focus').count()).toBe(1);
    expect(await viewsOf(file.url)).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('that mean harm are text: script, marks that turn text, one long line, thousands of columns', async () => {
    const { page, complaints } = await visit();
    const attack = `<img src=x onerror="document.title='ran'"><script>document.title='ran'</script>`;
    for (const [name, text] of [
      ['attack.csv', `${attack},=cmd|' /C calc'!A0\n"${attack.replaceAll('"', '""')}",\u202Egnp.exe\n`],
      ['line.csv', 'x'.repeat(5_000_000)],
      ['columns.tsv', `${'a\t'.repeat(50_000)}\n${'\t'.repeat(1_000_000)}`],
      ['quotes.csv', '"'.repeat(3_000_000)],
    ] as const) {
      await page.goto((await uploadFile(perch.url, name, text)).url);
      await page.waitForSelector('.csv-viewer .csv thead th');
      expect(await page.title()).not.toBe('ran');
      expect(await page.locator('.data-view img, .data-view script').count()).toBe(0);
    }
    expect(complaints).toEqual([]);
  });

  test('are a table without script, and have a source', async () => {
    const { page } = await visit({ javaScriptEnabled: false });
    await page.goto((await uploadFile(perch.url, 'a.tsv', 'name\tnumber\nx,y\t1\n')).url);
    expect(await page.locator('.csv tbody td').allTextContents()).toEqual(['x,y', '1']);
    await page.getByRole('link', { name: 'Source', exact: true }).click();
    await page.waitForURL(/view=source/);
    expect(await page.textContent('.lines')).toBe('name\tnumber\nx,y\t1\n');
  });
});

describe('an archive', () => {
  test('lists what it says is in it, as text, without script', async () => {
    const { page, complaints } = await visit({ javaScriptEnabled: false });
    const content = zipSync({
      'docs/text.md': strToU8('x'.repeat(5_000)),
      '<img src=x onerror=alert(1)>.txt': strToU8('x'),
      'photo\u202Egnp.exe': strToU8('x'),
      '../../etc/passwd': strToU8('x'),
    });
    await page.goto((await uploadFile(perch.url, 'a.zip', content)).url);
    const paths = await page.locator('.zip-view tbody th').allTextContents();
    expect(paths).toEqual([
      ...['docs/text.md', '<img src=x onerror=alert(1)>.txt', 'photo\\u202egnp.exe', '../../etc/passwd'],
    ]);
    expect(await page.textContent('.zip-view .hint')).toContain('4 entries · 4.9 KB unpacked');
    expect(complaints).toEqual([]);
  });

  test('with more entries than are shown, and one that cannot be read', async () => {
    const { page } = await visit();
    const many = Object.fromEntries(
      Array.from({ length: 3_000 }, (_, at) => [`${at}.txt`, new Uint8Array()]),
    );
    await page.goto((await uploadFile(perch.url, 'many.zip', zipSync(many))).url);
    expect(await page.locator('.zip-view tbody tr').count()).toBe(1_000);
    await page.getByText('2,000 more entries are not shown.').waitFor();
    const damaged = zipSync({ 'a.txt': strToU8('x') });
    damaged[damaged.length - 6] = 0xff;
    const file = await uploadFile(perch.url, 'damaged.zip', damaged).catch(() => null);
    if (file === null) return;
    await page.goto(file.url);
    expect(await page.locator('.stage-card .file-mark').textContent()).toBe('ZIP');
  });
});

describe('a picture', () => {
  test('is seen at any size, by buttons, keys and the wheel', async () => {
    const { page, complaints } = await visit();
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="1000"><rect width="99" height="99"/></svg>';
    await page.goto((await uploadFile(perch.url, 'wide.svg', svg)).url);
    const width = (): Promise<number> =>
      inPage(page, "Math.round(document.querySelector('.stage img').getBoundingClientRect().width)");
    await page.getByRole('button', { name: 'Fit' }).waitFor();
    const fitted = await width();
    expect(fitted).toBeLessThan(1_200);
    await page.getByRole('button', { name: '100 %' }).click();
    expect(await width()).toBe(2_000);
    expect(await page.textContent('output')).toBe('100 %');
    await page.getByRole('region', { name: 'Picture' }).press('-');
    expect(await width()).toBe(1_600);
    await page.keyboard.press('0');
    expect(await width()).toBe(fitted);
    await page.getByRole('region', { name: 'Picture' }).hover();
    await page.mouse.wheel(0, -100);
    await until('the wheel has zoomed', async () => (await width()) > fitted);
    expect(complaints).toEqual([]);
  });
});

describe('a store', () => {
  test('shows values as they change, keys that come and go, and says so', async () => {
    const { page, complaints } = await visit();
    const store = await createStore(perch.url, { count: 1, other: 'x' });
    await page.goto(store.url);
    await page.getByText('Live', { exact: true }).waitFor();
    const put = (key: string, value: unknown): Promise<Response> =>
      fetch(`${perch.url}/api/kv${store.path}/${key}`, {
        method: 'PUT',
        headers: {
          'User-Agent': 'PerchTests/1',
          'X-Owner-Token': store.ownerToken,
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ value }),
      });
    await put('count', 2);
    await page.locator('tr[data-key=count] pre', { hasText: '2' }).waitFor();
    expect(await page.textContent('#store-news')).toBe('count has changed.');
    await put('fresh', '<img src=x>');
    await page.locator('tr[data-key=fresh] pre', { hasText: '<img src=x>' }).waitFor();
    await fetch(`${perch.url}/api/kv${store.path}/other`, {
      method: 'DELETE',
      headers: { 'User-Agent': 'PerchTests/1', 'X-Owner-Token': store.ownerToken },
    });
    await page.locator('tr[data-key=other]').waitFor({ state: 'detached' });
    await page.getByText('2 keys').waitFor();
    expect(await viewsOf(store.url)).toBe(1);
    await fetch(`${perch.url}/api/kv${store.path}`, {
      method: 'DELETE',
      headers: { 'User-Agent': 'PerchTests/1', 'X-Owner-Token': store.ownerToken },
    });
    await page.getByText('This store is no longer there.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('is followed again when the server has refused for a while', async () => {
    const { page } = await visit();
    const store = await createStore(perch.url, { count: 1 });
    const refused = new Set<boolean>();
    await page.route(
      ({ pathname, search }) => pathname === new URL(store.url).pathname && search !== '',
      async (route) => {
        const isLook = route.request().url().includes('view=page');
        if (refused.has(isLook)) return await route.continue();
        refused.add(isLook);
        await route.fulfill({ status: 503, body: 'busy' });
      },
    );
    await page.goto(store.url);
    await page.getByText('Live', { exact: true }).waitFor();
    await fetch(`${perch.url}/api/kv${store.path}/count`, {
      method: 'PUT',
      headers: {
        'User-Agent': 'PerchTests/1',
        'X-Owner-Token': store.ownerToken,
        'Content-Type': 'application/json',
      },
      body: '{"value":2}',
    });
    await page.locator('tr[data-key=count] pre', { hasText: '2' }).waitFor();
    expect([...refused]).toEqual([false, true]);
  });

  test('that is protected is followed with a ticket', async () => {
    const twoHosts = await sharedTwoHosts();
    for (const service of [perch.url, twoHosts.service]) {
      const { page } = await visit();
      const store = await createStore(service, { count: 1 }, { password: 'open sesame' });
      await page.goto(store.url);
      await page.fill('#password', 'open sesame');
      await page.click('button[type=submit]');
      await page.getByText('Live', { exact: true }).waitFor();
      expect(await viewsOf(page.url(), { 'X-Password': 'open sesame' })).toBe(1);
    }
  });
});

describe('a markdown file', () => {
  test('is a page in a sandbox, and has a source', async () => {
    const { page, complaints } = await visit();
    const text = `# Notes\n\n*Some* text\n\n<script>document.title='ran'</script>\n`;
    const file = await uploadFile(perch.url, 'notes.md', text);
    await page.goto(file.url);
    expect(await page.locator('main.markdown h1').textContent()).toStartWith('Notes');
    expect(await page.locator('main.markdown em').textContent()).toBe('Some');
    expect(await inPage<string>(page, 'window.origin')).toBe('null');
    await page.getByRole('link', { name: 'Source' }).click();
    await page.waitForURL(/view=source/);
    expect(await page.textContent('.lines')).toBe(text);
    await page.goto(`${page.url()}#L3`);
    await page.waitForSelector('.marked');
    await page.getByRole('link', { name: 'Rendered' }).click();
    await page.locator('main.markdown').waitFor();
    expect(await page.title()).toBe('notes.md');
    expect(complaints).toEqual([]);
  });

  test('has each text on the side that its first letters begin on', async () => {
    const shalom = 'שלום';
    const right = [`# ${shalom}`, shalom, `1. ${shalom}`, `- [x] ${shalom}`, `> ${shalom}`];
    const left = ['# Left', 'Left', '1. Left', '- [x] Left', '> Left'];
    const centred = [`<p align="center">${shalom}</p>`, `<div dir="rtl">\n\nLeft ${shalom}\n\n</div>`];
    const file = await uploadFile(perch.url, 'both.md', [...left, ...right, ...centred].join('\n\n'));
    const { page } = await visit();
    await page.goto(file.url);
    // Of each text, and of what is drawn before it: the space to the left and to the right, as a sign.
    const sides = await inPage<number[]>(
      page,
      `(() => {
        const outer = document.querySelector('main.markdown').getBoundingClientRect();
        const side = ({ left, right }) => Math.sign(Math.round((left - outer.left - (outer.right - right)) / 10));
        const texts = document.evaluate('//main//text()[normalize-space() != ""]', document, null, 7);
        return Array.from({ length: texts.snapshotLength }, (_, at) => {
          const range = new Range();
          range.selectNodeContents(texts.snapshotItem(at));
          return side(range.getBoundingClientRect());
        });
      })()`,
    );
    expect(sides).toEqual([-1, -1, -1, -1, -1, 1, 1, 1, 1, 1, 0, 1]);
    const boxes = page.locator('main.markdown input');
    expect(((await boxes.last().boundingBox())?.x ?? 0) > ((await boxes.first().boundingBox())?.x ?? 0)).toBe(
      true,
    );
    const directions =
      "[...document.querySelectorAll('ol, ul, blockquote')].map((e) => getComputedStyle(e).direction)";
    expect(await inPage<string[]>(page, directions)).toEqual(['ltr', 'ltr', 'ltr', 'rtl', 'rtl', 'rtl']);
  });
});

test('the buttons of a search stand beside its field on a phone', async () => {
  const { page } = await visit({ viewport: { width: 390, height: 700 } });
  await page.goto((await publishJson(perch.url, JSON.stringify(DOCUMENT))).url);
  await page.waitForSelector('.viewer');
  const middles = await inPage<number[]>(
    page,
    `[...document.querySelectorAll('.viewer-search input, .viewer-search button')].map((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return Math.round((top + bottom) / 2);
    })`,
  );
  expect(middles.length).toBe(3);
  expect(new Set(middles).size).toBe(1);
});

test('every viewer fits a phone, in light and dark, and is fit for assistive technology', async () => {
  const content = zipSync({
    'a rather long path/of a file/that does not fit a phone/at all.txt': strToU8('x'),
  });
  const files = [
    await publishJson(perch.url, JSON.stringify(DOCUMENT)),
    await uploadFile(
      perch.url,
      'a.csv',
      `${'a rather long name of a column,'.repeat(9)}\n${'1,'.repeat(9)}\n`,
    ),
    await uploadFile(perch.url, 'a.zip', content),
    await uploadFile(
      perch.url,
      'a.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" width="2000" height="1000"/>',
    ),
    await uploadFile(perch.url, 'a.py', CODE),
    await createStore(perch.url, { count: 1 }),
  ];
  const { page } = await visit({ viewport: { width: 360, height: 700 } });
  for (const { url } of files) {
    await page.goto(url);
    await page.waitForSelector('.viewer, .zip-view, .stage-zoom, .go-to-line, .live-mark:not([hidden])');
    expect([url, await accessibilityFaults(page)]).toEqual([url, []]);
  }
});

describe('a Mermaid diagram', () => {
  const page = (diagram: string): string => `# Plan\n\n\`\`\`mermaid\n${diagram}\n\`\`\`\n`;

  test('is drawn in the sandbox of the page, anew when the scheme changes, and keeps its source', async () => {
    const { page: tab, complaints } = await visit({ colorScheme: 'light' });
    for (const published of [
      await publish(perch.url, page('graph TD\n A[Start] -->|yes| B[End]'), { type: 'text/markdown' }),
      await uploadFile(perch.url, 'plan.md', page('sequenceDiagram\n Start->>Goal: hello')),
    ]) {
      await tab.emulateMedia({ colorScheme: 'light' });
      await tab.goto(published.url);
      await tab.waitForSelector('.diagram svg');
      expect(await tab.textContent('.diagram-picture')).toContain('Start');
      expect(await inPage<string>(tab, 'window.origin')).toBe('null');
      const light = await tab.getAttribute('.diagram svg', 'id');
      await tab.emulateMedia({ colorScheme: 'dark' });
      await until('it is drawn anew', async () => (await tab.getAttribute('.diagram svg', 'id')) !== light);
      await tab.locator('.diagram summary').click();
      expect(await tab.textContent('.diagram pre')).toContain('Start');
      expect(await accessibilityFaults(tab)).toEqual([]);
    }
    expect(complaints).toEqual([]);
  });

  test('that means harm, or is none, runs nothing and does not keep the others from being drawn', async () => {
    const { page: tab } = await visit();
    const diagrams = [
      'graph TD\n A["<img src=x onerror=document.title=1>"] --> B\n click A "javascript:document.title=1"\n click B call alert()',
      '%%{init: {"securityLevel":"loose","htmlLabels":true}}%%\ngraph TD\n A["<script>document.title=1</script>"] --> B',
      'graph TD\n A[',
      `graph TD\n${Array.from({ length: 2_000 }, (_, at) => `A${at} --> B${at}`).join('\n')}`,
      'x'.repeat(100_000),
      'graph TD\n Last --> One',
    ];
    await tab.goto((await publish(perch.url, diagrams.map(page).join('\n'), { type: 'text/markdown' })).url);
    await tab.getByText('Last').first().waitFor();
    await tab.waitForSelector('.diagram svg >> text=Last');
    expect(await tab.locator('.diagram img, .diagram script, .diagram a[href^=javascript]').count()).toBe(0);
    expect(await tab.title()).toBe('Plan');
    expect(await tab.locator('main > pre').count()).toBeGreaterThan(0);
  });

  test('is a block of code without script, and a page without one loads no library', async () => {
    const { page: tab } = await visit({ javaScriptEnabled: false });
    const published = await publish(perch.url, page('graph TD\n A --> B'), { type: 'text/markdown' });
    await tab.goto(published.url);
    expect(await tab.textContent('pre code')).toContain('A --> B');
    const { page: other } = await visit();
    const asked: string[] = [];
    other.on('request', (request) => asked.push(request.url()));
    await other.goto((await publish(perch.url, '# Plain\n\n```js\na\n```\n', { type: 'text/markdown' })).url);
    await other.waitForTimeout(300);
    expect(asked.filter((url) => url.includes('/assets/'))).toEqual([]);
  });
});
