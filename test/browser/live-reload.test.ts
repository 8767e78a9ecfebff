import { expect, test } from 'bun:test';
import { sharedInstance } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { useBrowser } from './browser.ts';

const visit = useBrowser();
const perch = useStarted(() => sharedInstance('embedded'));

interface Page {
  namespace: string;
  id: string;
  ownerToken: string;
}

const send = async (
  method: string,
  path: string,
  type: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<Page> => {
  const response = await fetch(`${perch.url}${path}`, {
    method,
    body,
    headers: { 'Content-Type': type, 'User-Agent': 'PerchTests/1', ...headers },
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as Page;
};

const SAMPLES = {
  'an HTML page': [
    'text/html',
    '<!doctype html><base href="https://elsewhere.example/"><body><main>first</main>',
  ],
  'a markdown page': ['text/markdown', 'first'],
} as const;

for (const [name, [type, first]] of Object.entries(SAMPLES))
  for (const password of ['', 'correct horse'])
    test(`${name}${password === '' ? '' : ' with a password'} shows its new version by itself`, async () => {
      const protecting: Record<string, string> = password === '' ? {} : { 'X-Password': password };
      const { namespace, id, ownerToken } = await send(
        ...(['POST', '/api/html?ns=live-reload&showTopBar=true', type, first, protecting] as const),
      );
      const update = (text: string) =>
        send('PUT', `/api/html/${namespace}/${id}`, type, first.replace('first', text), {
          'X-Owner-Token': ownerToken,
        });
      const { page } = await visit();
      await page.goto(`${perch.url}/${namespace}/${id}?live=1`);
      if (password !== '') {
        await page.fill('#password', password);
        await page.click('button[type=submit]');
      }
      await page.getByText('first').waitFor();
      await page.locator('perch-bar').getByText('Live').waitFor();
      for (const text of ['second', 'third']) {
        await update(text);
        await page.getByText(text).waitFor();
      }
    });

test('a page that was opened without asking for it stays as it is', async () => {
  const { namespace, id, ownerToken } = await send(
    ...(['POST', '/api/html?ns=live-reload&showTopBar=true', 'text/html', '<main>first</main>'] as const),
  );
  const { page } = await visit();
  await page.goto(`${perch.url}/${namespace}/${id}`);
  let reloads = 0;
  page.on('framenavigated', () => {
    reloads += 1;
  });
  await send('PUT', `/api/html/${namespace}/${id}`, 'text/html', '<main>second</main>', {
    'X-Owner-Token': ownerToken,
  });
  await Bun.sleep(500);
  expect([reloads, await page.getByText('first').count()]).toEqual([0, 1]);
  expect(await page.locator('perch-bar').getByText('Live').isVisible()).toBe(false);
});
