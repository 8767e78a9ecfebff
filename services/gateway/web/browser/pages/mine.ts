/** The items of the owner tokens that this browser keeps. */
import { mine as texts } from '../../texts/page-language.ts';
import { find, noticesOf } from '../elements.ts';
import { type Holding, itemElement, nameOf } from '../owned-item.ts';
import { itemsOf } from '../owner-api.ts';
import { offerAdding, offerFromLink, showTokens } from '../token-list.ts';
import { type KeptToken, keptTokens, takeFromFragment } from '../token-store.ts';

/** Items shown at once, and more with each press of the button. */
const SHOWN = 100;

const list = find('mine-items', HTMLUListElement);
const bar = document.querySelector<HTMLElement>('.owned-bar');
const count = find('mine-count', HTMLElement);
const empty = find('mine-empty', HTMLElement);
const more = find('mine-more', HTMLButtonElement);
const search = find('mine-search', HTMLInputElement);
const order = find('mine-order', HTMLSelectElement);
const notices = noticesOf('mine');

let tokens: KeptToken[] = [];
let holdings: Holding[] = [];
/** Whether the items of all tokens could be had. */
let isWhole = true;
let shown = SHOWN;

const page = {
  ...notices,
  onChanged: () => void load(),
  onItem(changed: Holding) {
    holdings = holdings.map((one) => (isSame(one, changed) ? changed : one));
  },
  onRemoved(removed: Holding, element: HTMLElement) {
    const place = [...list.children].indexOf(element);
    holdings = holdings.filter((one) => !isSame(one, removed));
    show();
    const next = list.children[place] ?? list.lastElementChild;
    (next?.querySelector('a') ?? (holdings.length === 0 ? empty.querySelector('a') : search))?.focus();
  },
};

const isSame = ({ item: one }: Holding, { item: other }: Holding): boolean =>
  one.namespace === other.namespace && one.id === other.id;

/** Asks for the items of all kept tokens, one after the other, and shows them. A failure is reported, and the items of the other tokens shown. */
async function load(): Promise<void> {
  list.setAttribute('aria-busy', 'true');
  count.textContent = texts.loading;
  const counts = new Map<string, number | null>();
  try {
    tokens = await keptTokens();
  } catch {
    count.textContent = '';
    list.removeAttribute('aria-busy');
    return notices.fail(new Error(texts.notKept));
  }
  const found: Holding[] = [];
  for (const { token } of tokens) {
    try {
      const items = await itemsOf(token);
      counts.set(token, items.length);
      found.push(...items.map((item) => ({ token, item })));
    } catch (error) {
      counts.set(token, null);
      notices.fail(error);
    }
  }
  holdings = found;
  isWhole = [...counts.values()].every((amount) => amount !== null);
  list.removeAttribute('aria-busy');
  show();
  showTokens(tokens, counts, page);
}

const ORDERS: Readonly<Record<string, (one: Holding, other: Holding) => number>> = {
  newest: (one, other) => other.item.createdAt.localeCompare(one.item.createdAt),
  expiring: (one, other) => one.item.expiresAt.localeCompare(other.item.expiresAt),
  views: (one, other) => other.item.views - one.item.views,
};

function show(): void {
  const wanted = search.value.trim().toLocaleLowerCase();
  const matching = holdings
    .filter(({ item }) => `${nameOf(item)} ${item.namespace}/${item.id}`.toLocaleLowerCase().includes(wanted))
    .toSorted(ORDERS[order.value]);
  list.replaceChildren(...matching.slice(0, shown).map((holding) => itemElement(holding, page)));
  more.hidden = matching.length <= shown;
  empty.hidden = holdings.length > 0 || !isWhole;
  if (bar !== null) bar.hidden = holdings.length === 0;
  const words = matching.length === 0 ? texts.noMatch : texts.found(matching.length);
  count.textContent = holdings.length === 0 ? '' : words;
}

function showAnew(): void {
  shown = SHOWN;
  show();
}

search.addEventListener('input', showAnew);
order.addEventListener('change', showAnew);
more.addEventListener('click', () => {
  shown += SHOWN;
  show();
});
addEventListener('hashchange', takeLink);
offerAdding(page);

/** The token of a link that leads here. */
function takeLink(): void {
  const token = takeFromFragment('token');
  if (token !== null) void offerFromLink(token, page);
}

takeLink();
void load();
