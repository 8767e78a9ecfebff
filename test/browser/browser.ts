import { afterEach, beforeAll, setDefaultTimeout } from 'bun:test';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { commandPath, ensureCommands } from '../../infra/servers/debian.ts';
import { oncePerRun } from '../started.ts';

/** Long enough to install Chromium first, or to start a Perch on a busy machine. */
export const START_LIMIT_MS = 300_000;

/** A test that takes longer is stuck; the longest take forty seconds of a browser on a busy machine. */
const TEST_LIMIT_MS = 240_000;

/** Longest time of one browser step: a page with forty frames, each a process to start, may need half a minute. */
const STEP_LIMIT_MS = 120_000;

/**
 * Playwright's own list, as this switch replaces it, and at the end what costs without being tested: each window prepares
 * pages for its address bar, and the browser keeps a process ready that no page may ever want.
 */
const DISABLED_FEATURES = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'SpareRendererForSitePerProcess'],
];

/** Options of every Chromium of these tests. */
const ARGUMENTS = [
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];

/** A person with a browser profile of their own. */
export interface Visitor {
  context: BrowserContext;
  page: Page;
  /** Errors on any page's console, script errors and dialogs since the start. */
  complaints: string[];
}

export interface Visitors {
  (options?: BrowserContextOptions): Promise<Visitor>;
  /**
   * A test that is run again when the browser itself has crashed meanwhile, and for no other reason: Chromium now and then
   * does under forty hostile frames on a busy machine.
   */
  outlivingTheBrowser(body: () => Promise<void>): () => Promise<void>;
}

/** Chromium without windows, which takes a quarter less of a processor, or all of it: a PDF and switches of some tests need that. */
type Build = 'chromium-headless-shell' | 'chromium';

/** Starts a Chromium that the caller has to close. */
export async function launchBrowser(
  options: { build?: Build; args?: readonly string[] } = {},
): Promise<Browser> {
  const { build = 'chromium-headless-shell', args = [] } = options;
  await ensureCommands([build]);
  return await chromium.launch({
    executablePath: commandPath(build),
    args: [...ARGUMENTS, ...args],
    timeout: STEP_LIMIT_MS,
  });
}

/** One for all test files of a run; another one when it has crashed. */
const shareBrowser = (build: Build) => oncePerRun(() => startShared(build));
const shared = {
  'chromium-headless-shell': shareBrowser('chromium-headless-shell'),
  chromium: shareBrowser('chromium'),
};

async function startShared(build: Build) {
  const launch = () => launchBrowser({ build });
  let browser = await launch();
  return {
    isConnected: () => browser.isConnected(),
    contexts: () => browser.contexts(),
    async connected(): Promise<Browser> {
      if (!browser.isConnected()) browser = await launch();
      return browser;
    },
    stop: () => browser.close(),
  };
}

/** Chromium for a test file, called at its top. Visitors leave after each test. */
export function useBrowser(build: Build = 'chromium-headless-shell'): Visitors {
  const sharedBrowser = shared[build];
  setDefaultTimeout(TEST_LIMIT_MS);
  beforeAll(async () => {
    await sharedBrowser();
  }, START_LIMIT_MS);

  afterEach(async () => {
    for (const context of (await sharedBrowser()).contexts()) await context.close();
  });

  const visit = async (options?: BrowserContextOptions): Promise<Visitor> => {
    const browser = await (await sharedBrowser()).connected();
    const context = await browser.newContext(options);
    context.setDefaultTimeout(STEP_LIMIT_MS);
    const complaints: string[] = [];
    context.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${message.location().url}: ${message.text()}`);
    });
    context.on('weberror', (error) => complaints.push(`script: ${error.error().message}`));
    context.on('dialog', (dialog) => {
      complaints.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss().catch(() => undefined);
    });
    return { context, page: await context.newPage(), complaints };
  };
  return Object.assign(visit, {
    outlivingTheBrowser: (body: () => Promise<void>) => async (): Promise<void> => {
      try {
        await body();
      } catch (error) {
        if ((await sharedBrowser()).isConnected()) throw error;
        process.stdout.write('the browser has crashed; once more with another\n');
        await body();
      }
    },
  });
}

/** Runs a script in a page and returns its value. A text, as the code belongs to the browser and its types. */
export async function inPage<T>(page: Pick<Page, 'evaluate'>, script: string): Promise<T> {
  return (await page.evaluate(script)) as T;
}

/** Whether an element is wholly in sight where the page is scrolled to. */
export const isInSight = (page: Page, selector: string): Promise<boolean> =>
  inPage(
    page,
    `(() => {
      const { top, bottom, height } = document.querySelector('${selector}').getBoundingClientRect();
      return height > 0 && top >= 0 && bottom <= innerHeight;
    })()`,
  );

/** Lets a page receive so many bytes a second, and no more, from now on. */
export async function slowDown(page: Page, bytesASecond: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const throughput = { downloadThroughput: bytesASecond, uploadThroughput: -1 };
  await session.send('Network.emulateNetworkConditions', { offline: false, latency: 0, ...throughput });
}
