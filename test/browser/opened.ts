import type { BrowserContext, Frame, Page } from 'playwright-core';
import { inPage, type Visitor, type Visitors } from './browser.ts';
import type { Stranger } from './stranger.ts';

/** A browser's view of an address. */
export interface Opened {
  url: string;
  /** Origin and type of the document; `null` when it was saved instead of shown. */
  shown: { origin: string; mediaType: string; isOurs: boolean } | null;
}

const SHOWN = `({
  origin: window.origin,
  mediaType: document.contentType,
  isOurs: document.querySelector('main .file-view, perch-bar') !== null,
})`;

/** Tabs at once: each navigation waits for processes of the browser to start. */
const TABS = 3;

/** Opens addresses as a person does, with all that their pages load. */
export async function openInTabs(context: BrowserContext, urls: string[]): Promise<Opened[]> {
  const opened: Opened[] = [];
  const waiting = [...urls.entries()];
  const openNext = async (page: Page): Promise<void> => {
    const [index, url] = waiting.shift() ?? [];
    if (index === undefined || url === undefined) return await page.close();
    opened[index] = await openIn(page, url);
    await openNext(page);
  };
  await Promise.all(Array.from({ length: TABS }, async () => openNext(await context.newPage())));
  return opened;
}

async function openIn(page: Page, url: string): Promise<Opened> {
  try {
    await page.goto(url, { waitUntil: 'load' });
  } catch (error) {
    if (!String(error).includes('Download is starting')) throw error;
    return { url, shown: null };
  }
  return { url, shown: await inPage(page, SHOWN) };
}

/** Frames in one page: each may be a process of the browser. */
const FRAMES_A_PAGE = 40;

/**
 * Opens addresses in frames of a page that has no policy, so that nothing but their own keeps them from anything. Its
 * server is of the same site as Perch's: storage and cookies are not set apart for them.
 */
export async function openInFrames(page: Page, stranger: Stranger, urls: string[]): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (let start = 0; start < urls.length; start += FRAMES_A_PAGE) {
    const some = urls.slice(start, start + FRAMES_A_PAGE);
    stranger.put(
      '/frames',
      some.map((url) => `<iframe src="${url}" width="90" height="40"></iframe>`).join(''),
    );
    await page.goto(`${stranger.url}/frames`, { waitUntil: 'load' });
    // Time for what begins behind it: animations, frames within the frames.
    await page.waitForTimeout(300);
    opened.push(...(await Promise.all(page.mainFrame().childFrames().map(describeFrame))));
  }
  return opened;
}

/** Attempts to look at a frame: hostile content may navigate it just then, or it never comes to rest. */
const LOOKS = 5;

/** A frame whose address was saved stays on its empty page. */
async function describeFrame(frame: Frame): Promise<Opened> {
  for (let look = 1; ; look++) {
    const url = frame.url();
    if (url === '' || url === 'about:blank') return { url, shown: null };
    try {
      return { url, shown: await inPage(frame, SHOWN) };
    } catch (error) {
      if (look === LOOKS || !String(error).includes('Execution context was destroyed')) throw error;
      await frame.waitForLoadState('load');
    }
  }
}

/** A script of an upload that reached for storage. */
export interface ScriptRun {
  /** The origin it had. */
  origin: string;
  /** Where it ran. */
  url: string;
}

/** Tells of every use of `localStorage`, which the hostile scripts make, before it is had or refused. */
const TELL = `(() => {
  const { get } = Object.getOwnPropertyDescriptor(window, 'localStorage') ?? {};
  // The browser's own viewer of PDFs is an extension, and keeps settings.
  if (get === undefined || location.protocol === 'chrome-extension:') return;
  Object.defineProperty(window, 'localStorage', {
    get() {
      void window.perchScriptRan({ origin: window.origin, url: location.href });
      return get.call(window);
    },
  });
})()`;

/** Collects what runs in any page or frame from now on. */
async function watchScripts(context: BrowserContext): Promise<ScriptRun[]> {
  const runs: ScriptRun[] = [];
  await context.exposeBinding('perchScriptRan', (_, run: ScriptRun) => void runs.push(run));
  await context.addInitScript(TELL);
  return runs;
}

/** A person in a browser of their own, and the scripts of uploads that ran there. */
export interface Someone extends Visitor {
  runs: ScriptRun[];
}

/** Lets somebody visit whose browser tells of scripts. */
export async function someoneBy(visit: Visitors): Promise<Someone> {
  const visitor = await visit();
  return { ...visitor, runs: await watchScripts(visitor.context) };
}
