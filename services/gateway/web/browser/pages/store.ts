/** The page of a store: shows values as they change, and says so politely to who cannot see it. */
import { store as texts } from '../../texts/page-language.ts';
import { find, within } from '../elements.ts';

/** Least time between two looks at a store that changes all the time, and between two announcements, in ms. */
const LEAST_MS = { look: 2_000, announcement: 5_000 };

const view = within(document, '.store-view', HTMLElement);
const mark = within(view, '.live-mark', HTMLElement);
const entries = find('store-entries', HTMLElement);
const news = find('store-news', HTMLElement);
const own = view.dataset.own ?? '';

const changed = new Set<string>();
let isLooking = false;
let isStale = false;
let announcing: ReturnType<typeof setTimeout> | undefined;

const events = new EventSource(own);
events.addEventListener('open', () => {
  mark.hidden = false;
});
events.addEventListener('error', () => {
  mark.hidden = true;
});
events.addEventListener('message', ({ lastEventId }) => {
  if (lastEventId !== view.dataset.state) void look();
});
events.addEventListener('gone', () => {
  events.close();
  mark.hidden = true;
  news.textContent = texts.gone;
  news.classList.remove('visually-hidden');
});
addEventListener('pagehide', () => events.close());

async function look(): Promise<void> {
  isStale = true;
  if (isLooking) return;
  isLooking = true;
  while (isStale) {
    isStale = false;
    try {
      const response = await fetch(`${own}&view=page`);
      if (response.ok) takeOver(new DOMParser().parseFromString(await response.text(), 'text/html'));
    } catch {
      // The stream tells of the next change when the server is there again.
    }
    await new Promise((resolve) => setTimeout(resolve, LEAST_MS.look));
  }
  isLooking = false;
}

function takeOver(page: Document): void {
  const there = page.getElementById(entries.id);
  if (there === null) return;
  view.dataset.state = within(page, '.store-view', HTMLElement).dataset.state ?? '';
  const rows = (place: ParentNode): HTMLElement[] => [...place.querySelectorAll<HTMLElement>('tr[data-key]')];
  const before = new Map(rows(entries).map((row) => [row.dataset.key ?? '', row]));
  const focused = document.activeElement?.closest<HTMLElement>('tr[data-key]')?.dataset.key;
  for (const row of rows(there)) {
    const key = row.dataset.key ?? '';
    const known = before.get(key);
    before.delete(key);
    if (known !== undefined && textOf(known) === textOf(row)) continue;
    row.classList.add('is-new');
    changed.add(key);
  }
  for (const key of before.keys()) changed.add(key);
  if (changed.size === 0) return;
  const facts = (place: ParentNode): Element | null => place.querySelector('.item-facts');
  facts(view)?.replaceChildren(...(facts(page)?.childNodes ?? []));
  entries.replaceChildren(...there.childNodes);
  if (focused !== undefined)
    rows(entries)
      .find((row) => row.dataset.key === focused)
      ?.querySelector<HTMLElement>('a')
      ?.focus({ preventScroll: true });
  announce();
}

/** The value of a row with the time of its change. */
const textOf = (row: HTMLElement): string =>
  `${row.querySelector('.entry-value')?.textContent} ${row.querySelector('time')?.dateTime}`;

function announce(): void {
  if (announcing !== undefined) return;
  const [only = '', ...others] = changed;
  news.textContent = others.length === 0 ? texts.changedOne(only) : texts.changedMany(changed.size);
  changed.clear();
  announcing = setTimeout(() => {
    announcing = undefined;
    if (changed.size > 0) announce();
  }, LEAST_MS.announcement);
}
