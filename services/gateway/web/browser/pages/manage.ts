/** One item, for whoever has its management link or keeps its owner token. */
import { manage as texts } from '../../texts/page-language.ts';
import { find, within } from '../elements.ts';
import { takeFromFragment } from '../fragment.ts';
import { noticesOf } from '../notices.ts';
import { itemElement } from '../owned-item.ts';
import { itemsOf, ownsItem } from '../owner-api.ts';
import { addTokens, keptTokens } from '../token-store.ts';

const article = find('manage', HTMLElement);
const address = { namespace: article.dataset.namespace ?? '', id: article.dataset.id ?? '' };
const list = find('manage-item', HTMLUListElement);
const ask = find('manage-ask', HTMLFormElement);
const field = find('manage-token', HTMLInputElement);
const keep = find('manage-keep', HTMLElement);
const notices = noticesOf('manage');

/** The token of this page for this tab, so that a reload of it does not need the link once more. */
const PLACE = `perch manage ${address.namespace}/${address.id}`;

async function open(): Promise<void> {
  const given = takeFromFragment('k') ?? sessionStorage.getItem(PLACE);
  const kept = (await keptTokens().catch(() => [])).map(({ token }) => token);
  try {
    for (const token of given === null ? kept : [given, ...kept]) {
      const owns = await ownsItem(token, address);
      if (owns === null) return say(texts.missing);
      if (owns) return await show(token, kept.includes(token));
    }
    if (given !== null) say(texts.wrong);
    ask.hidden = false;
  } catch (error) {
    notices.fail(error);
  }
}

async function show(token: string, isKept: boolean): Promise<void> {
  const item = (await itemsOf(token)).find(
    ({ namespace, id }) => namespace === address.namespace && id === address.id,
  );
  if (item === undefined) return say(texts.missing);
  if (!isKept) sessionStorage.setItem(PLACE, token);
  const page = {
    ...notices,
    onRenewed: () => {},
    onRemoved: () => {
      list.replaceChildren();
      keep.hidden = true;
      sessionStorage.removeItem(PLACE);
    },
  };
  list.replaceChildren(itemElement({ token, item }, page));
  ask.hidden = true;
  keep.hidden = isKept;
  within(keep, 'button', HTMLButtonElement).onclick = async () => {
    try {
      await addTokens([token]);
      notices.say(texts.kept);
      keep.hidden = true;
    } catch (error) {
      notices.fail(error);
    }
  };
}

const say = (text: string): void => notices.fail(new Error(text));

ask.addEventListener('submit', async (event) => {
  event.preventDefault();
  try {
    const token = field.value.trim();
    const owns = await ownsItem(token, address);
    if (owns) await show(token, false);
    else say(owns === null ? texts.missing : texts.wrong);
  } catch (error) {
    notices.fail(error);
  }
});
addEventListener('hashchange', () => {
  if (location.hash.startsWith('#k=')) void open();
});

void open();
