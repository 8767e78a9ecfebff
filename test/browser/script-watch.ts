import type { BrowserContext } from 'playwright-core';

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
export async function watchScripts(context: BrowserContext): Promise<ScriptRun[]> {
  const runs: ScriptRun[] = [];
  await context.exposeBinding('perchScriptRan', (_, run: ScriptRun) => void runs.push(run));
  await context.addInitScript(TELL);
  return runs;
}
