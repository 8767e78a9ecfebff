import { expect } from 'bun:test';
import type { BrowserContext, Page } from 'playwright-core';
import { inPage } from './browser.ts';

/** The card of the last published item. */
export const RESULT = '#publish-results > article:first-child:not([aria-label^="Published earlier"])';

export const resultHasFocus = (page: Page): Promise<boolean> =>
  inPage(page, `document.activeElement === document.querySelector('${RESULT}')`);

/** The kinds that the form uploads. */
export const KINDS = ['page', 'file', 'site'] as const;

/** Opens the form of a Perch for a kind. */
export async function openForm(
  page: Page,
  perch: string,
  kind: (typeof KINDS)[number] | 'json' | 'kv',
): Promise<void> {
  await page.goto(`${perch}/`);
  await page.click(`label[for=kind-${kind}]`);
}

/** Files for a field of the form, each with its name as its text. */
export const textFiles = (...names: string[]) =>
  names.map((name) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(name) }));

/** Sends the form by key: a click would go astray where the editor takes the place of its field between the press and the release. */
const submitForm = (page: Page): Promise<void> =>
  page.locator('#publish-form button[type=submit]').press('Enter');

/** Sends the form and returns what the result says. */
export async function publishForm(page: Page): Promise<{ url: string; token: string }> {
  await submitForm(page);
  await page.waitForSelector(`${RESULT}, #publish-error:not([hidden])`);
  expect(await page.locator('#publish-error:not([hidden])').allTextContents()).toEqual([]);
  expect(await resultHasFocus(page)).toBe(true);
  expect(await page.locator('#publish-progress').isVisible()).toBe(false);
  const url = (await page.getAttribute(`${RESULT} .result-url`, 'href')) ?? '';
  return { url, token: (await page.textContent(`${RESULT} .result-token`)) ?? '' };
}

/** Sends the form and returns the fault it shows. */
export async function refuseForm(page: Page): Promise<string> {
  await submitForm(page);
  await page.waitForSelector('#publish-error:not([hidden])');
  expect(await inPage<string>(page, 'document.activeElement.id')).toBe('publish-error');
  return (await page.textContent('#publish-error')) ?? '';
}

/** Lets go of a file or folder above an element, as a person does with what they drag in from their desk. */
export async function drop(
  context: BrowserContext,
  page: Page,
  selector: string,
  path: string,
): Promise<void> {
  const box = await page.locator(selector).boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  const session = await context.newCDPSession(page);
  const at = { x: box.x + box.width / 2, y: box.y + 8 };
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
    await session.send('Input.dispatchDragEvent', { type, ...at, data });
}
