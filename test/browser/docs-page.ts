import type { Page } from 'playwright-core';

/** Opens an operation on the page at `/docs`, ready to be tried out. Returns a selector of its block. */
export async function openOperation(page: Page, operation: string): Promise<string> {
  const block = `#operations-${operation}`;
  await page.click(`${block} .opblock-summary-control`);
  await page.waitForSelector(`${block} .opblock-body .execute`);
  return block;
}

/** Carries out an open operation, and returns what is shown of its answer. */
export async function execute(page: Page, block: string): Promise<{ status: string; body: string }> {
  await page.click(`${block} .execute`);
  const answer = `${block} .live-responses-table .response`;
  await page.waitForSelector(`${answer} .microlight`);
  const status = (await page.textContent(`${answer} .response-col_status`)) ?? '';
  return { status: status.slice(0, 3), body: (await page.textContent(`${answer} .microlight`)) ?? '' };
}
