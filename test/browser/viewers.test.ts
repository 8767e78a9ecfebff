import { beforeAll, describe, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import type { Instance } from '../instance.ts';
import { sharedInstance } from '../shared-instance.ts';
import { inPage, START_LIMIT_MS, useBrowser } from './browser.ts';
import { uploadFile } from './uploads.ts';

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
