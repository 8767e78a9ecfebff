import { expect } from 'bun:test';
import type { Page } from 'playwright-core';

/** The extension starts as a process of its own, which takes its time on a busy machine; in ms. */
const START_LIMIT_MS = 60_000;

/** The page shows a PDF by the browser's own viewer, which is an extension in a frame. */
export async function expectPdfViewer(page: Page): Promise<void> {
  const isViewer = () => page.frames().some((frame) => frame.url().startsWith('chrome-extension:'));
  const deadline = Date.now() + START_LIMIT_MS;
  while (!isViewer() && Date.now() < deadline) await page.waitForTimeout(50);
  expect(page.frames().map((frame) => frame.url())).toContainEqual(
    expect.stringMatching(/^chrome-extension:/),
  );
}
