import { describe, expect, test } from 'bun:test';
import { type FilePageInput, filePage } from '../../../services/gateway/kinds/files/file-page.ts';
import {
  type StorePageEntry,
  type StorePageInput,
  storePage,
} from '../../../services/gateway/kinds/kv/store-page.ts';

const dates = {
  createdAt: new Date('2026-11-21T07:20:00Z'),
  expiresAt: new Date('2026-12-06T07:20:00Z'),
};

const file = (of: Partial<FilePageInput>): string =>
  filePage({
    filename: 'a.png',
    contentType: 'image/png',
    family: 'image',
    sizeBytes: 1536,
    ...dates,
    mediaUrl: '/m?t=1&r=1',
    downloadUrl: '/d',
    rawUrl: '/r',
    reportUrl: '/report?item=x',
    ...of,
  });

describe('the page of a file', () => {
  test('tells what it is and offers what can be done with it', () => {
    const page = file({ views: 1204 });
    for (const fact of ['PNG image', '1.5 KB', '1,204 views']) expect(page).toContain(`<li>${fact}</li>`);
    expect(page).toContain('<h1><bdi>a.png</bdi></h1>');
    expect(page).toMatch(/Expires <time datetime="2026-12-06T07:20:00.000Z"[^>]*>6 Dec 2026/);
    for (const address of ['/d', '/r', '/report?item=x']) expect(page).toContain(`href="${address}"`);
    expect(page).toContain('<meta name="robots" content="noindex">');
  });

  test('shows its media where a browser can', () => {
    const src = 'src="/m?t=1&amp;r=1"';
    expect(file({})).toContain(`href="/r" aria-label="Open the original image"><img ${src} alt="a.png">`);
    expect(file({ family: 'video' })).toContain(`<video ${src} controls playsinline preload="metadata"`);
    expect(file({ family: 'audio' })).toContain(`<audio ${src} controls preload="metadata"`);
    expect(file({ family: 'pdf' })).toContain(`<iframe ${src} title="a.png"></iframe>`);
  });

  test('is a card where there is nothing to show', () => {
    for (const [family, contentType, mark] of [
      ['archive', 'application/zip', 'ZIP'],
      ['font', 'font/woff2', 'WOFF2'],
    ] as const) {
      const page = file({ family, contentType });
      expect(page).toContain(`aria-hidden="true">${mark}<`);
      expect(page).not.toContain('/m?');
      expect(page).not.toContain('Open original');
    }
    expect(file({ family: 'pdf', sandboxed: true })).toContain('>Open original</a>');
  });

  test('is written in German for who reads that', () => {
    const page = file({ views: 1204, language: 'de' });
    for (const fact of ['PNG-Bild', '1,5 KB', '1.204 Aufrufe']) expect(page).toContain(`<li>${fact}</li>`);
    expect(page).toMatch(/Läuft ab <time[^>]*>6\. Dez\. 2026/);
  });

  test('has a picture for links to it: a picture itself, of all else the drawn one', () => {
    const listed = {
      publicUrl: 'https://p.example/public/a',
      previewUrl: 'https://p.example/preview/public/a.png',
    };
    const image = (of: Partial<FilePageInput>) =>
      /<meta property="og:image" content="([^"]*)">/.exec(file(of))?.[1];
    expect(image(listed)).toBe('https://p.example/public/a?raw=true');
    for (const family of ['pdf', 'video', 'archive'] as const)
      expect(image({ ...listed, family })).toBe(listed.previewUrl);
    expect(image({})).toBe(undefined);
  });

  test('counts views like people do, or not at all', () => {
    expect(file({ views: 1 })).toContain('<li>1 view</li>');
    expect(file({})).not.toContain('view</li>');
  });
});

const entry = (key: string, value: string | null): StorePageEntry => ({
  key,
  value,
  sizeBytes: 2048,
  version: 1,
  updatedAt: new Date('2026-11-21T07:20:00Z'),
});

const store = (
  entries: StorePageEntry[],
  count = entries.length,
  more: Partial<StorePageInput> = {},
): string =>
  storePage({
    namespace: 'team',
    id: 'settings',
    title: '',
    entries,
    count,
    ...dates,
    reportUrl: '/report',
    baseUrl: 'https://p.example',
    state: 's',
    ownUrl: '/own',
    downloadUrl: '/n/i?dl=true',
    rawUrl: '/n/i?raw=true',
    ...more,
  });

describe('the page of a store', () => {
  test.each([
    ['"plain text"', 'plain text'],
    ['"two\\nlines & more"', 'two\nlines &amp; more'],
    ['42', '42'],
    ['null', 'null'],
    ['{"a":[1,true]}', '{\n  &quot;a&quot;: [\n    1,\n    true\n  ]\n}'],
    ['not JSON', 'not JSON'],
  ])('shows the value %s', (value, shown) => {
    expect(store([entry('k', value)])).toContain(`<pre dir="auto">${shown}</pre>`);
  });

  test('goes by its title, and by its address without one', () => {
    const publicUrl = 'https://p.example/team/settings';
    const titled = store([], 0, { title: 'Nightly <builds>', publicUrl });
    expect(titled).toContain('<h1><bdi>Nightly &lt;builds&gt;</bdi></h1>');
    expect(titled).toContain('<title>Nightly &lt;builds&gt; · Perch</title>');
    expect(titled).toContain('<meta property="og:title" content="Nightly &lt;builds&gt;">');
    expect(titled).toContain('<li><span class="muted">team/</span>settings</li>');
    const untitled = store([], 0, { publicUrl });
    expect(untitled).toContain('<h1><span class="muted">team/</span>settings</h1>');
    expect(untitled).toContain('<title>team/settings · Perch</title>');
    expect(untitled).not.toContain('<li><span class="muted">');
  });

  test('lays out numbers as they were written', () => {
    expect(store([entry('k', '[1.10,"1.10",{"a":-0}]')])).toContain(
      '[\n  1.10,\n  &quot;1.10&quot;,\n  {\n    &quot;a&quot;: -0\n  }\n]',
    );
  });

  test('leads to each key', () => {
    const page = store([entry('a b/c?', '1'), entry('é', '1'), entry('\ud800', '1')]);
    expect(page).toContain('<a href="https://p.example/team/settings/a%20b%2Fc%3F"><bdi>a b/c?</bdi></a>');
    expect(page).toContain('/settings/%C3%A9"');
    expect(page).toContain('/settings/%EF%BF%BD"');
  });

  test('does not lead to keys that no address can name', () => {
    const page = store([entry('.', '1'), entry('..', '1')]);
    expect(page).not.toContain('href="https://p.example');
    expect(page).toContain('<bdi>..</bdi>');
  });

  test('cuts long values, in a box that the keyboard can scroll', () => {
    const page = store([
      entry('text', JSON.stringify('x'.repeat(5000))),
      entry('list', `[${'1,'.repeat(5000)}1]`),
    ]);
    expect(page).toContain(`aria-label="Value of text">${'x'.repeat(2000)}…</pre>`);
    expect(page).toContain('tabindex="0" role="region" aria-label="Value of list">[1,1,');
    expect(page.length).toBeLessThan(8000);
    expect(store([entry('list', JSON.stringify(Array.from({ length: 20 }, () => 1)))])).toContain(
      'class="boxed"',
    );
    expect(store([entry('pair', JSON.stringify(`${'x'.repeat(1999)}🐦`))])).toContain('x\ufffd…</pre>');
  });

  test('takes no escape apart where it cuts', () => {
    for (const part of ['\\', '\\u0041', '\n', '"', '🐦', '\ud83d']) {
      for (const before of ['', 'x', 'xx', 'xxx', 'xxxx', 'xxxxx']) {
        const page = store([entry('k', JSON.stringify(before + part.repeat(20_000)))]);
        const start = Bun.escapeHTML((before + part.repeat(200)).slice(0, 200).toWellFormed());
        expect(page.replaceAll('\ufffd', '')).toContain(`>${start.replaceAll('\ufffd', '')}`);
        expect(page.length).toBeLessThan(25_000);
      }
    }
    expect(store([entry('k', `"${'\\u00e9'.repeat(5000)}"`)])).toContain(`${'é'.repeat(2000)}…`);
  });

  test('does not lay out what is nested deeply', () => {
    const value = '['.repeat(900) + ']'.repeat(900);
    expect(store([entry('k', value)])).toContain(`>${value}</pre>`);
  });

  test('names what it does not show', () => {
    expect(store([entry('k', null)])).toContain('Too large to show here.');
    expect(store([])).toContain('This store is empty.');
    expect(store([entry('k', '1')], 1)).toContain('<li>1 key</li>');
    expect(store([entry('k', '1')], 2)).toContain('1 key more is not shown.');
    expect(store([entry('k', '1')], 1001)).toContain('1,000 keys more are not shown.');
  });

  test('stays light with a thousand keys of a megabyte', () => {
    const value = JSON.stringify({ text: 'x'.repeat(100_000) });
    const page = store(Array.from({ length: 1000 }, (_, index) => entry(`key-${index}`, value)));
    expect(page.length).toBeLessThan(1_000_000);
    expect(page.match(/<tr[ >]/g)?.length).toBe(1001);
  });
});
