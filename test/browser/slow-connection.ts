import type { Page } from 'playwright-core';

/** Lets a page receive so many bytes a second, and no more, from now on. */
export async function slowDown(page: Page, bytesASecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const throughput = { downloadThroughput: bytesASecond, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, ...throughput });
}
