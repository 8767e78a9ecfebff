import { expect } from 'bun:test';
import type { Page } from 'playwright-core';

/** The page shows a PDF by the browser's own viewer, which is an extension in a frame. */
export async function expectPdfViewer(page: Page): Promise<void> {
  const isViewer = () => page.frames().some((frame) => frame.url().startsWith('chrome-extension:'));
  for (let tries = 0; tries < 100 && !isViewer(); tries++) await page.waitForTimeout(50);
  expect(page.frames().map((frame) => frame.url())).toContainEqual(
    expect.stringMatching(/^chrome-extension:/),
  );
}
