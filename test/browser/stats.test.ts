import { expect, test } from 'bun:test';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';
import { inPage, useBrowser } from './browser.ts';
import { publish } from './publish.ts';

const visit = useBrowser();
const perch = useRunning(() => startInstance({ mode: 'embedded', joined: true }));

const PHONE = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const;

test('the statistics renew themselves, with the days of the reader', async () => {
  const { page, complaints } = await visit({ timezoneId: 'Asia/Kathmandu' });
  await publish(perch.url, '<p>first');
  await page.goto(`${perch.url}/stats`);
  await page.waitForSelector('#stats-zone:has-text("Asia/Kat")');
  await publish(perch.url, '<p>second');
  await page.waitForSelector('[data-figure="totalCreated"]:has-text("2")');
  await page.waitForSelector('[data-kind="html"] [data-figure="active"]:has-text("2")');
  expect(await page.textContent('[data-figure="storedBytes"]')).toBe('17 bytes');
  expect(complaints).toEqual([]);
});

test('on a phone nothing is wider than the screen', async () => {
  const { page, complaints } = await visit(PHONE);
  await page.goto(`${perch.url}/stats`);
  await page.waitForSelector('#stats-time time');
  expect(await inPage<number>(page, 'document.documentElement.scrollWidth')).toBe(PHONE.viewport.width);
  expect(complaints).toEqual([]);
});
