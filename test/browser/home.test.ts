import { expect, test } from 'bun:test';
import { until } from '../faults/waiting.ts';
import { startInstance } from '../instance.ts';
import { readQrCodes } from '../qr-reader.ts';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { inPage, useBrowser } from './browser.ts';
import { openForm, publishForm, RESULT, refuseForm, resultHasFocus } from './home-form.ts';
import { publish } from './publish.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance('embedded'));

test('a person publishes a page with the form and opens it', async () => {
  const { page, complaints } = await visit();
  await page.goto(`${perch.url}/`);
  await page.fill('#content', '# Published by hand\n\nWith **bold** text.');
  await page.fill('#title', 'By hand');
  await page.selectOption('#format', 'MARKDOWN');
  await page.selectOption('#ttl', '7');
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector(RESULT);
  expect(await resultHasFocus(page)).toBe(true);

  const token = (await page.textContent(`${RESULT} .result-token`)) ?? '';
  const address = (await page.getAttribute(`${RESULT} .result-url`, 'href')) ?? '';
  const short = (await page.getAttribute(`${RESULT} .result-short-url`, 'href')) ?? '';
  expect(token).toMatch(/^own_/);
  const code = `document.querySelector('${RESULT} .result-qr')`;
  // The page's policy allows no `eval`, by which waitForFunction would look a second time.
  await until('the QR code is shown', () =>
    inPage<boolean>(page, `${code}.complete && ${code}.naturalWidth > 0 && !${code}.hidden`),
  );
  expect(await readQrCodes(await page.locator(`${RESULT} .result-qr`).screenshot())).toEqual([address]);
  await page.goto(short);
  expect(page.url()).toBe(address);
  expect(await page.textContent('h1')).toContain('Published by hand');
  expect(await page.title()).toContain('By hand');
  expect(await page.textContent('strong')).toBe('bold');
  expect(complaints).toEqual([]);

  const settings = await fetch(`${perch.url}/api/html${new URL(address).pathname}/settings`, {
    headers: { 'X-Owner-Token': token, 'User-Agent': 'PerchTests/1' },
  });
  expect(await settings.json()).toMatchObject({ title: 'By hand', ttlDays: 7, format: 'MARKDOWN' });
});

test('the form says what is wrong, and can be sent again', async () => {
  const { page } = await visit();
  await page.goto(`${perch.url}/`);
  for (const empty of ['', '   ']) {
    await page.fill('#content', empty);
    expect(await refuseForm(page)).toBe('Write something first.');
  }
  expect(await page.locator(RESULT).count()).toBe(0);

  await page.fill('#content', 'something');
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector(RESULT);
  expect(await page.locator('#publish-error').isVisible()).toBe(false);
});

test('a field whose value is refused by the browser is shown, also where it was folded away', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'page');
  await page.fill('#content', 'something');
  await page.click('details.more summary');
  await page.fill('#id', 'bad id');
  await page.click('details.more summary');
  expect(await page.locator('#id').isVisible()).toBe(false);
  await page.click('#publish-form button[type=submit]');
  await page.waitForSelector('#id:focus');
  expect(await page.locator('#id').isVisible()).toBe(true);
  expect(await page.locator(RESULT).count()).toBe(0);
});

test('a fault is shown until the form is changed', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'page');
  const isShown = () => page.locator('#publish-error').isVisible();
  await refuseForm(page);
  await page.fill('#content', 'something');
  expect(await isShown()).toBe(false);
  await page.click('label[for=kind-json]');
  await refuseForm(page);
  await page.click('label[for=kind-kv]');
  expect(await isShown()).toBe(false);
  await page.fill('.pair [name=pair-value]', 'without a key');
  await refuseForm(page);
  await page.click('.pair button');
  expect(await isShown()).toBe(false);
});

test('what was given to one item does not go into the next of another kind', async () => {
  const { page } = await visit();
  await openForm(page, perch.url, 'page');
  const values = () =>
    Promise.all(['#title', '#password', '#id'].map((selector) => page.inputValue(selector)));
  const id = `home-${crypto.randomUUID().slice(0, 8)}`;
  await page.click('details.more summary');
  await page.fill('#title', 'First');
  await page.fill('#password', 'sesame');
  await page.fill('#id', id);
  await page.click('label[for=kind-json]');
  expect(await values()).toEqual(['First', 'sesame', id]);
  await page.fill('#document', '{}');
  await publishForm(page);
  expect(await values()).toEqual(['First', 'sesame', id]);
  await page.fill('#title', 'Second');
  await page.click('label[for=kind-page]');
  expect(await values()).toEqual(['Second', '', '']);
  await page.fill('#password', 'sesame');
  await page.click('label[for=kind-kv]');
  expect(await values()).toEqual(['Second', 'sesame', '']);
});

test('what was published before stays on the page, and is no answer to what failed since', async () => {
  const { page, complaints } = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  await openForm(page, perch.url, 'page');
  await page.fill('#content', 'first');
  const first = await publishForm(page);

  await page.fill('#content', ' ');
  await refuseForm(page);
  expect(await page.locator('#publish-results h3').allTextContents()).toEqual(['Published earlier']);
  expect(await page.getAttribute('#publish-results article', 'aria-label')).toBe('Published earlier');

  await page.fill('#content', 'second');
  const second = await publishForm(page);
  expect(await page.locator('#publish-results h3').allTextContents()).toEqual([
    'Published',
    'Published earlier',
  ]);
  expect(await page.locator('#publish-results .result-url').allTextContents()).toEqual([
    second.url,
    first.url,
  ]);
  expect(await page.locator('#publish-results .result-token').allTextContents()).toEqual([
    second.token,
    first.token,
  ]);
  await page.click('#publish-results article:last-child button[aria-label="Copy owner token"]');
  await page.waitForSelector('#publish-results article:last-child button:has-text("Copied")');
  expect(await inPage<string>(page, 'navigator.clipboard.readText()')).toBe(first.token);
  expect(await accessibilityFaults(page)).toEqual([]);
  expect(complaints.filter((text) => !text.includes('status of 400'))).toEqual([]);
});

test('the form is used with the keyboard alone', async () => {
  const { page } = await visit();
  await page.goto(`${perch.url}/`);
  await page.focus('#kind-page');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  expect(await page.locator('#content').isVisible()).toBe(false);
  const reached: string[] = [];
  for (let step = 0; step < 9; step++) {
    await page.keyboard.press('Tab');
    reached.push(
      await inPage<string>(
        page,
        'document.activeElement.id || document.activeElement.type || document.activeElement.tagName',
      ),
    );
  }
  expect(reached).toEqual([
    ...['archive', 'folder', 'title', 'entry', 'ttl', 'visibility-listed', 'password', 'SUMMARY', 'submit'],
  ]);
});

test('the page is read without scripts', async () => {
  const { page } = await visit({ javaScriptEnabled: false });
  await page.goto(`${perch.url}/`);
  const text = (await page.textContent('main')) ?? '';
  for (const path of ['html', 'files', 'sites', 'json', 'kv']) expect(text).toContain(`/api/${path}`);
  expect(text).toContain('This form needs JavaScript.');
  await page.click('footer a[href="/docs"]');
  await page.waitForURL(`${perch.url}/docs`);
});

test.each([
  {
    locale: 'en-GB',
    faults: [
      'This address is taken',
      'This is not valid JSON',
      'Files of this type are not accepted',
      'The file is larger than the limit of 5 MB',
    ],
  },
  {
    locale: 'de-DE',
    faults: [
      'Diese Adresse ist vergeben',
      'Das ist kein gültiges JSON',
      'Dateien dieser Art werden nicht angenommen',
      'Das ist zu groß',
    ],
  },
])('the form says in $locale why the service has refused something', async ({ locale, faults }) => {
  const { namespace, id } = await publish(perch.url, 'taken');
  expect(namespace).toBe('public');
  const { page } = await visit({ locale });
  await openForm(page, perch.url, 'json');
  await page.click('details.more summary');
  await page.fill('#document', '{}');
  await page.fill('#id', id);
  const [taken = '', json = '', type = '', size = ''] = faults;
  // Documents share their ids with pages.
  expect(await refuseForm(page)).toStartWith(taken);
  await page.fill('#id', '');
  await page.fill('#document', '{');
  expect(await refuseForm(page)).toStartWith(json);
  await page.click('label[for=kind-file]');
  const file = { name: 'setup.exe', mimeType: 'application/octet-stream', buffer: Buffer.from('MZ') };
  await page.setInputFiles('#file', file);
  expect(await refuseForm(page)).toStartWith(type);
  await page.setInputFiles('#file', { ...file, name: 'big.png', buffer: Buffer.alloc(6 * 1_048_576) });
  expect(await refuseForm(page)).toStartWith(size);
  await page.click('label[for=kind-page]');
  await page.fill('#content', 'x');
  await page.fill('#password', ' edges ');
  expect(await refuseForm(page)).toStartWith(locale === 'de-DE' ? 'Passwort: hat ' : 'Password: must not ');
});

test('who gets no namespace that nobody knows is told why', async () => {
  const limited = await startInstance({
    mode: 'embedded',
    joined: true,
    env: { LIMIT_READS_PER_MINUTE: '1' },
  });
  try {
    const { page } = await visit();
    await openForm(page, limited.url, 'page');
    await page.check('#visibility-unlisted');
    await page.fill('#content', 'one');
    await publishForm(page);
    await page.fill('#content', 'another');
    expect(await refuseForm(page)).toContain('Try again in');
    await page.route('**/api/namespace/random', (route) => route.abort());
    expect(await refuseForm(page)).toStartWith('The server cannot be reached');

    const { page: german } = await visit({ locale: 'de-DE' });
    await openForm(german, limited.url, 'page');
    await german.check('#visibility-unlisted');
    await german.fill('#content', 'noch eins');
    expect(await refuseForm(german)).toStartWith('Zu viele Anfragen von deiner Adresse. Versuche es in ');
  } finally {
    await limited.stop();
  }
});
