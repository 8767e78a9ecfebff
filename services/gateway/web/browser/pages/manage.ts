/** One item, for whoever has its management link or keeps its owner token. */
import { manage as texts } from '../../texts/page-language.ts';
import { find, noticesOf, within } from '../elements.ts';
import { findToken, forgetForTab, itemOf } from '../item-token.ts';
import { itemElement } from '../owned-item.ts';
import { itemsOf } from '../owner-api.ts';
import { addTokens } from '../token-store.ts';

const address = itemOf(find('manage', HTMLElement));
const list = find('manage-item', HTMLUListElement);
const keep = find('manage-keep', HTMLElement);
const notices = noticesOf('manage');

/** Moves the focus from a button that leaves the page to what came of it. */
const focusNotice = (): void => find('manage-said', HTMLElement).focus({ preventScroll: true });

async function show(token: string, isKept: boolean): Promise<void> {
  const item = (await itemsOf(token)).find(
    ({ namespace, id }) => namespace === address.namespace && id === address.id,
  );
  if (item === undefined) return notices.fail(new Error(texts.missing));
  const page = {
    ...notices,
    onItem: () => {},
    onRemoved: () => {
      list.replaceChildren();
      keep.hidden = true;
      forgetForTab(address);
      focusNotice();
    },
  };
  list.replaceChildren(itemElement({ token, item }, page));
  keep.hidden = isKept;
  within(keep, 'button', HTMLButtonElement).onclick = async () => {
    try {
      await addTokens([token]);
      notices.say(texts.kept);
      keep.hidden = true;
      focusNotice();
    } catch (error) {
      notices.fail(error);
    }
  };
}

findToken('manage', address, { ...notices, onToken: show });
