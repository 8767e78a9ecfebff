import { expect, test } from 'bun:test';
import { docsPage } from '../../../services/gateway/features/docs/routes.ts';
import { editPage } from '../../../services/gateway/features/edit/routes.ts';
import { galleryPage } from '../../../services/gateway/features/gallery/gallery-page.ts';
import { homePage } from '../../../services/gateway/features/home/routes.ts';
import { managePage, minePage } from '../../../services/gateway/features/mine/routes.ts';
import { reportPage } from '../../../services/gateway/features/reports/report-page.ts';
import { LANGUAGES } from '../../../services/gateway/http/language.ts';
import { filePage } from '../../../services/gateway/kinds/files/file-page.ts';
import { storePage } from '../../../services/gateway/kinds/kv/store-page.ts';
import { agentPage } from '../../../services/gateway/pages/agent-page.ts';
import { errorPage, unlockPage } from '../../../services/gateway/pages/error-pages.ts';
import { assets, findAsset } from '../../../services/gateway/web/assets.ts';
import { textsIn } from '../../../services/gateway/web/texts/texts.ts';
import { FILE_FAMILIES, type FileFamily } from '../../../shared/items/content.ts';

const HOSTILE = `"><script>alert('1')</script>`;
const CATEGORIES = [
  'spam',
  'phishing',
  'malware',
  'copyright',
  'harassment',
  'illegal',
  'cannot_delete',
  'other',
];

const report = {
  reportedUrl: 'https://p.example/a',
  namespace: 'public',
  id: 'a',
  sent: null,
  problem: null,
};

const dates = { createdAt: new Date(0), expiresAt: new Date(86_400_000) };

const hostileEntry = { key: HOSTILE, value: HOSTILE, sizeBytes: 1, version: 2, updatedAt: new Date(0) };

const hostileFile = (family: FileFamily): string =>
  filePage({
    filename: HOSTILE,
    contentType: HOSTILE,
    family,
    sizeBytes: 1,
    ...dates,
    mediaUrl: HOSTILE,
    downloadUrl: HOSTILE,
    rawUrl: HOSTILE,
    reportUrl: HOSTILE,
  });

const hostilePages: Readonly<Record<string, string>> = {
  error: errorPage({ status: 404, code: HOSTILE, title: HOSTILE, message: HOSTILE, requestId: HOSTILE }),
  agents: agentPage({ baseUrl: `https://p.example/${HOSTILE}` }),
  unlock: unlockPage({
    action: HOSTILE,
    issue: 'wrong',
    namespace: HOSTILE,
    id: HOSTILE,
    to: HOSTILE,
    mark: HOSTILE,
  }),
  report: reportPage({
    ...report,
    reportedUrl: HOSTILE,
    namespace: HOSTILE,
    id: HOSTILE,
    problem: HOSTILE,
    issues: [{ field: 'description', message: HOSTILE }],
    entered: { category: HOSTILE, description: `</textarea>${HOSTILE}`, reporterEmail: HOSTILE },
  }),
  sent: reportPage({ ...report, sent: { reportId: HOSTILE } }),
  home: homePage({ baseUrl: `https://p.example/${HOSTILE}` }),
  mine: minePage('de', true),
  manage: managePage({ namespace: HOSTILE, id: HOSTILE, language: 'en', withDomains: true }),
  edit: editPage({ namespace: HOSTILE, id: HOSTILE, language: 'de' }),
  store: storePage({
    namespace: HOSTILE,
    id: HOSTILE,
    title: HOSTILE,
    count: 2,
    ...dates,
    reportUrl: HOSTILE,
    baseUrl: HOSTILE,
    state: HOSTILE,
    ownUrl: HOSTILE,
    downloadUrl: HOSTILE,
    rawUrl: HOSTILE,
    entries: [hostileEntry, { ...hostileEntry, value: JSON.stringify(HOSTILE) }],
  }),
  gallery: galleryPage({
    view: { search: HOSTILE, kind: null, tag: HOSTILE, sort: 'date', page: 2, size: 24 },
    items: [
      {
        namespace: 'public',
        id: 'a',
        type: 'kv',
        title: HOSTILE,
        tags: [HOSTILE],
        sizeBytes: 1,
        views: 1,
        createdAt: dates.createdAt.toISOString(),
        expiresAt: dates.expiresAt.toISOString(),
        picture: {
          address: `/gallery/pictures/${encodeURIComponent(HOSTILE)}/x.webp`,
          width: 320,
          height: 200,
        },
      },
    ],
    total: 50,
    totalIsLowerBound: false,
    pages: 3,
    now: new Date(0),
    baseUrl: 'https://p.example',
  }),
  ...Object.fromEntries(FILE_FAMILIES.map((family) => [family, hostileFile(family)])),
};

/** Each element of the page as `[tag, attributes]`. */
function elements(page: string): [string, Map<string, string>][] {
  const found: [string, Map<string, string>][] = [];
  const element = (each: HTMLRewriterTypes.Element) => {
    found.push([each.tagName, new Map([...each.attributes].map(([name = '', value = '']) => [name, value]))]);
  };
  new HTMLRewriter().on('*', { element }).transform(page);
  return found;
}

for (const [name, page] of Object.entries(hostilePages)) {
  test(`the ${name} page keeps to the strict content security policy, whatever its values`, () => {
    for (const [tag, attributes] of elements(page)) {
      expect(tag).not.toBe('style');
      if (tag === 'script') expect(attributes.get('src')).toStartWith('/assets/');
      for (const attribute of attributes.keys()) expect(attribute).not.toMatch(/^on|^style$/);
    }
  });

  test(`the ${name} page asks for assets by addresses that can be cached for good`, async () => {
    const asked = elements(page)
      .flatMap(([, attributes]) => [attributes.get('src'), attributes.get('href')])
      .filter((address) => address?.startsWith('/assets/'))
      .map((address) => address?.slice('/assets/'.length) ?? '');
    expect(asked.length).toBeGreaterThan(1);
    for (const asset of asked) expect((await findAsset(asset))?.cacheControl).toContain('immutable');
  });

  test(`every field of the ${name} page has a label`, () => {
    const all = elements(page);
    const labelled = new Set(
      all.filter(([tag]) => tag === 'label').map(([, attributes]) => attributes.get('for')),
    );
    for (const [tag, attributes] of all) {
      if (['input', 'select', 'textarea'].includes(tag) && attributes.get('type') !== 'hidden')
        expect(attributes.has('aria-label') || labelled.has(attributes.get('id'))).toBeTrue();
    }
  });
}

test('the error page tells status, code and request, and what to do', () => {
  const page = errorPage({
    status: 410,
    code: 'GONE',
    title: 'Gone',
    message: 'It is gone.',
    requestId: 'r-1',
  });
  expect(page).toContain('<h1>Gone</h1>\n<p>It is gone.</p>');
  expect(page).toContain('<p class="muted">Whoever shared it can publish it again.</p>');
  expect(page).toContain('<code>GONE</code>');
  expect(page).toContain('<code>r-1</code>');
  expect(page).toContain('<meta name="robots" content="noindex">');
});

test('every error status has advice', () => {
  for (const status of [400, 403, 404, 409, 410, 418, 429, 500, 502, 503, 504]) {
    const page = errorPage({ status, code: 'C', title: 'T', message: 'M', requestId: 'R' });
    expect(page).toMatch(/<p class="muted">[A-Z][^<]{20,}<\/p>/);
  }
});

test('the unlock page posts the password and says when it was wrong', () => {
  const first = unlockPage({
    action: '/public/a',
    issue: null,
    namespace: 'public',
    id: 'a',
    to: 'b/c',
    mark: null,
  });
  expect(first).toContain('<form method="post" action="/public/a"');
  expect(first).toContain(
    'name="password" type="password" autocomplete="current-password" maxlength="200" required autofocus>',
  );
  expect(first).not.toContain('role="alert"');
  expect(first).not.toContain('name="mark"');
  const again = unlockPage({
    action: '/public/a',
    issue: 'wrong',
    namespace: 'public',
    id: 'a',
    to: '',
    mark: null,
  });
  expect(again).toContain('autofocus aria-invalid="true" aria-describedby="password-error">');
  const locked = unlockPage({
    action: '/public/a',
    namespace: 'public',
    id: 'a',
    to: '',
    mark: null,
    issue: { lockedSeconds: 897 },
  });
  expect(locked).toContain('Too many wrong passwords from your address. Try again in 15 minutes.');
});

test('the report page offers every category and keeps what was entered', () => {
  const entered = { category: 'malware', description: '\nshort', reporterEmail: 'a@b.example' };
  const page = reportPage({ ...report, problem: 'Too short.', entered });
  for (const category of CATEGORIES)
    expect(page).toMatch(new RegExp(`<option value="${category}"[^>]*>[A-Z]`));
  expect(page).toContain('<option value="malware" selected>');
  expect(page).toContain('aria-describedby="description-hint">\n\nshort</textarea>');
  expect(page).toContain('value="a@b.example"');
  expect(page).toContain('<p class="notice error" role="alert">Too short.</p>');
  expect(page).not.toContain('aria-invalid');
});

test('the report page says beside each field what is wrong with it, in words for people', () => {
  const issues = [
    { field: 'description', message: 'has 10 to 5000 characters.' },
    { field: 'category', message: 'must be one of spam, phishing.' },
  ];
  const problem = 'description: has 10 to 5000 characters. category: must be one of spam, phishing.';
  const page = reportPage({ ...report, problem, issues });
  expect(page).toContain('aria-invalid="true" aria-describedby="category-fault" autofocus>');
  expect(page).toContain('aria-invalid="true" aria-describedby="description-fault description-hint">');
  expect(page).toContain('id="category-fault">Choose one of the reasons.</p>');
  expect(page).toContain('id="description-fault">Write at least 10 characters.</p>');
  expect(page).toContain('Correct what is marked below');
  expect(page).not.toMatch(/(?:category|description): |must be one of/);
  expect(page.match(/aria-invalid/g)).toHaveLength(2);
});

test('the report page does not keep what is wrong with no field of it to itself', () => {
  const issues = [{ field: 'resourceId', message: 'is none.' }];
  const page = reportPage({ ...report, problem: 'resourceId: is none.', issues });
  expect(page).toContain('role="alert">resourceId: is none.</p>');
  expect(page).not.toContain('aria-invalid');
});

test('the home page has a command for each kind, with the address of the server', () => {
  const page = homePage({ baseUrl: 'https://p.example' });
  for (const [path, sends] of [
    ['html', '--data-binary @notes.md'],
    ['files', '-F file=@photo.jpg'],
    ['sites', '-F archive=@site.zip'],
    ['json', '--data-binary @data.json'],
    ['kv', '-d &#x27;{&quot;key&quot;: &quot;status&quot;'],
  ])
    expect(page).toMatch(new RegExp(`<code>curl https://p\\.example/api/${path} [^<]*${sends}`));
  expect(page).toContain('curl -X PUT https://p.example/api/html/public/ID');
  expect(page).toContain('curl -X DELETE https://p.example/api/html/public/ID');
  expect(page).toContain('curl https://p.example/public/ID/status</code>');
  expect(page).not.toContain('noindex');
});

test('the home page has the shortest command first, and says where agents go', () => {
  for (const [language, agents] of [
    ['en', 'Agents publish through the MCP server'],
    ['de', 'Agenten veröffentlichen über den MCP-Server'],
  ] as const) {
    const page = homePage({ baseUrl: 'https://p.example', language });
    const [first] = page.match(/<code>curl[^<]*/) ?? [];
    expect(first).toBe('<code>curl -T report.html https://p.example/');
    expect(page).toContain(`${agents} <code>https://p.example/mcp</code>`);
  }
});

test('the home page says who finds what is published', () => {
  const page = homePage({ baseUrl: 'https://p.example' });
  expect(page).toContain('It is listed in the gallery, and search engines may find it.');
  expect(page).toContain('It is listed nowhere, but whoever has the address can read it.');
  expect(page).toContain('Protected items are not listed, and search engines cannot read them.');
});

test('every page leads to the others', () => {
  for (const page of [...Object.values(hostilePages), docsPage()])
    for (const path of ['/', '/gallery', '/mine', '/docs', '/stats'])
      expect(page).toContain(`href="${path}"`);
});

test('assets carry type and a strong etag of their own', () => {
  const types = new Map([...assets].map(([name, { contentType }]) => [name, contentType]));
  for (const name of ['perch.css', 'docs.css']) expect(types.get(name)).toBe('text/css; charset=utf-8');
  for (const language of LANGUAGES)
    expect(types.get(`home.${language}.js`)).toBe('text/javascript; charset=utf-8');
  expect(types.get('favicon.svg')).toBe('image/svg+xml');
  for (const { etag } of assets.values()) expect(etag).toMatch(/^"[\w-]{22}"$/);
});

test('an asset is found by its name, by that with its hash, and by that with the hash of another release', async () => {
  const [, hashed = ''] =
    /href="\/assets\/(perch-[0-9a-f]{10}\.css)"/.exec(homePage({ baseUrl: 'https://p.example' })) ?? [];
  const named = await findAsset(hashed);
  expect(named?.cacheControl).toBe('public, max-age=31536000, immutable');
  for (const other of ['perch.css', 'perch-0123456789.css']) {
    const found = await findAsset(other);
    expect(found?.body).toBe(assets.get('perch.css'));
    expect(found?.cacheControl).toBe('no-cache');
  }
  for (const none of ['nothing.css', 'perch-0123456789.js', 'perch-012345678.css', '-0123456789.css'])
    expect(await findAsset(none)).toBeNull();
});

test('every page is written in each language, with the scripts of that language', () => {
  for (const language of LANGUAGES) {
    const { home, language: words } = textsIn(language);
    const page = homePage({ baseUrl: 'https://p.example', language });
    expect(page).toContain(`<html lang="${language}">`);
    expect(page).toContain(`<h1>${home.title}</h1>`);
    expect(page).toMatch(new RegExp(`/assets/home-[0-9a-f]{10}\\.${language}\\.js`));
    for (const other of LANGUAGES.filter((one) => one !== language))
      expect(page).toContain(
        `data-language="${other}" lang="${other}" hidden>${textsIn(other).language.name}</button>`,
      );
    expect(page).not.toContain(`>${words.name}</button>`);
  }
});

test('the texts of all languages have the same parts, and none is empty', () => {
  const partsOf = (texts: object): string[] =>
    Object.entries(texts).flatMap(([name, part]) =>
      typeof part === 'object' && part !== null ? partsOf(part).map((inner) => `${name}.${inner}`) : [name],
    );
  const [first, ...others] = LANGUAGES.map((language) => textsIn(language));
  const free = /^(?:errorPage\.(?:messages|tooMany)|refusals\.(?:codes|faults)|operator\.actions\.messages)/;
  const expected = partsOf(first ?? {}).filter((name) => !free.test(name));
  expect(expected.length).toBeGreaterThan(100);
  for (const texts of others)
    expect(
      partsOf(texts)
        .filter((name) => !free.test(name))
        .toSorted(),
    ).toEqual(expected.toSorted());
});

test('no asset reaches out to another host', () => {
  for (const { bytes } of assets.values()) {
    const text = new TextDecoder()
      .decode(bytes)
      .replaceAll('http://www.w3.org/2000/svg', '')
      // A text in an error of the markdown parser.
      .replaceAll('https://github.com/markedjs/marked', '')
      // Editor and descriptions know the rules of CSS by their names, and what an address without a scheme stands for.
      .replaceAll(/"@import"|"https?:\/\/"\+/g, '');
    expect(text).not.toMatch(/https?:\/\/|@import/);
  }
});
