import { manage as texts } from '../texts/page-language.ts';
import { find, type Notices } from './elements.ts';
import { type Address, ownsItem } from './owner-api.ts';
import { keptTokens, putInFragment, takeFromFragment } from './token-store.ts';

interface Page extends Notices {
  /** The token owns the item; `isKept`: this browser keeps it. */
  onToken(token: string, isKept: boolean): Promise<void>;
}

/** The item that an element of the page names. */
export const itemOf = ({ dataset }: HTMLElement): Address => ({
  namespace: dataset.namespace ?? '',
  id: dataset.id ?? '',
});

/** Where a token is for this tab, so that a reload, and the other pages of the item, need its link no more. */
const placeOf = ({ namespace, id }: Address): string => `perch manage ${namespace}/${id}`;

/** Works on what is kept for this tab; `null` where the browser keeps nothing for this page. */
function inTab<T>(work: (storage: Storage) => T): T | null {
  try {
    return work(sessionStorage);
  } catch {
    return null;
  }
}

const keepForTab = (item: Address, token: string): void =>
  void inTab((tab) => tab.setItem(placeOf(item), token));

export const forgetForTab = (item: Address): void => void inTab((tab) => tab.removeItem(placeOf(item)));

/**
 * Finds the owner token of the page's item: in the management link that was opened, in this tab, or among those that the
 * browser keeps. Else the form `<name>-ask` of the page asks for it.
 */
export function findToken(name: string, item: Address, page: Page): void {
  const ask = find(`${name}-ask`, HTMLFormElement);
  const field = find(`${name}-token`, HTMLInputElement);
  const say = (text: string): void => page.fail(new Error(text));

  let isInUse = false;
  /** The first token is the one: the page is set up once, also when the form is sent twice. */
  const use = async (token: string, isKept: boolean): Promise<void> => {
    if (isKept) forgetForTab(item);
    else keepForTab(item, token);
    if (isInUse) return;
    isInUse = true;
    try {
      await page.onToken(token, isKept);
      ask.hidden = true;
    } catch (error) {
      isInUse = false;
      throw error;
    }
  };
  const open = async (): Promise<void> => {
    const earlier = inTab((tab) => tab.getItem(placeOf(item)));
    const linked = takeFromFragment('k');
    const given = [linked, earlier].filter((token) => token !== null);
    const kept = (await keptTokens().catch(() => [])).map(({ token }) => token);
    try {
      for (const token of new Set([...given, ...kept])) {
        const owns = await ownsItem(token, item);
        if (owns) return await use(token, kept.includes(token));
        if (owns !== null) continue;
        forgetForTab(item);
        return say(texts.missing);
      }
      forgetForTab(item);
      if (given.length > 0) say(texts.wrong);
    } catch (error) {
      page.fail(error);
      field.value = given[0] ?? '';
      // A reload tries it once more.
      if (linked !== null) putInFragment('k', linked);
    }
    ask.hidden = isInUse;
  };

  ask.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const token = field.value.trim();
      const owns = await ownsItem(token, item);
      if (owns) await use(token, false);
      else say(owns === null ? texts.missing : texts.wrong);
    } catch (error) {
      page.fail(error);
    }
  });
  addEventListener('hashchange', () => {
    if (location.hash.startsWith('#k=')) void open();
  });
  void open();
}
