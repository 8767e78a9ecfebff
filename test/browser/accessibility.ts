import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { inPage } from './browser.ts';

const SCHEMES = ['light', 'dark'] as const;

/**
 * The findings of axe about a page as it stands, in both colour schemes, each with the rule and the element; and whether
 * the page scrolls sideways. Frames are pages of their own. Afterwards the page has the scheme of the system again.
 */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    // Colours fade over, and within them those they are inherited by.
    await inPage(page, SETTLED);
    const found = await axeFaults(page, colorScheme === 'light' ? {} : { runOnly: ['color-contrast'] });
    faults.push(...found.map((fault) => `${colorScheme}: ${fault}`));
  }
  await page.emulateMedia({ colorScheme: null });
  if (await inPage<boolean>(page, 'document.documentElement.scrollWidth > innerWidth'))
    faults.push('scrolls sideways');
  return faults;
}

/** Texts that are too faint in the scheme that the page shows. */
export const faintTexts = (page: Page): Promise<string[]> => axeFaults(page, { runOnly: ['color-contrast'] });

const SETTLED = `(async () => {
  for (let fading; (fading = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)).length > 0; )
    await Promise.allSettled(fading.map(({ finished }) => finished));
})()`;

async function axeFaults(page: Page, options: axe.RunOptions): Promise<string[]> {
  if (!(await inPage<boolean>(page, "typeof axe === 'object'"))) await inPage(page, `${axe.source}; true`);
  return await inPage<string[]>(
    page,
    `axe.run(document, ${JSON.stringify({ ...options, iframes: false, resultTypes: ['violations'] })}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ': ' + failureSummary)))`,
  );
}
