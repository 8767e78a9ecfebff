import type { Page } from 'playwright-core';
import type { Visitor, Visitors } from './browser.ts';
import type { Published } from './publish.ts';

/** The editor of the content, in place of its plain field. */
export const editor = (page: Page) => page.locator('.editing:has(#content) .cm-content');

/** Waits until the page says something of the text. */
export const said = (page: Page, text: string) => page.waitForSelector(`#edit-said:has-text("${text}")`);

/** Opens the editor of an item with its management link. */
export async function openEditor(
  visit: Visitors,
  item: Published,
  options?: Parameters<Visitors>[0],
): Promise<Visitor> {
  const visitor = await visit(options);
  await visitor.page.goto(`${new URL(item.url).origin}/edit${item.path}#k=${item.ownerToken}`);
  await editor(visitor.page).waitFor();
  return visitor;
}

/** Replaces the whole text, as a person does. */
export async function write(page: Page, text: string): Promise<void> {
  await editor(page).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}

/** Presses a button of a dialog, by its value. */
export const answerDialog = (page: Page, dialog: string, value: string) =>
  page.click(`#${dialog}-dialog button[value="${value}"]`);

/** Lets the next change reach the server, and its answer get lost on the way back. */
export async function loseNextAnswer(page: Page): Promise<void> {
  let isLost = false;
  await page.route('**/api/**', async (route) => {
    if (isLost || !['PUT', 'DELETE'].includes(route.request().method())) return await route.fallback();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
}
