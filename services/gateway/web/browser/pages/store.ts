/** The page of a store: shows values as they change, and says so politely to who cannot see it. */
import { store as texts } from '../../texts/page-language.ts';
import { find, within } from '../elements.ts';

/** Least time between two looks at a store that changes all the time, and between two announcements, in ms. */
const MIN_MS = { look: 2_000, announcement: 5_000 };

/** Before the next attempt when a server refuses, at first and at most, in ms; twice as long after each failure. */
const RETRY_MS = { first: 5_000, max: 60_000 };

const view = within(document, '.store-view', HTMLElement);
const mark = within(view, '.live-mark', HTMLElement);
const entries = find('store-entries', HTMLElement);
const news = find('store-news', HTMLElement);
const own = view.dataset.own ?? '';

const changed = new Set<string>();
let isLooking = false;
let isStale = false;
let announcing: ReturnType<typeof setTimeout> | undefined;

const retryMs = (failures: number): number => Math.min(RETRY_MS.first * 2 ** (failures - 1), RETRY_MS.max);

/** Follows the store until the page is left, or the store is gone. */
function follow(): () => void {
  let failures = 0;
  let reopening: ReturnType<typeof setTimeout> | undefined;
  let events = open();

  function open(): EventSource {
    const opened = new EventSource(own);
    opened.addEventListener('open', () => {
      failures = 0;
      mark.hidden = false;
    });
    opened.addEventListener('error', () => {
      mark.hidden = true;
      // After an answer that is no stream, such as 503, a browser tries no more by itself.
      if (opened.readyState !== EventSource.CLOSED) return;
      failures += 1;
      reopening = setTimeout(() => {
        events = open();
      }, retryMs(failures));
    });
    opened.addEventListener('message', ({ lastEventId }) => {
      if (lastEventId !== view.dataset.state) void look();
    });
    opened.addEventListener('gone', () => {
      opened.close();
      mark.hidden = true;
      news.textContent = texts.gone;
      news.classList.remove('visually-hidden');
    });
    return opened;
  }

  return () => {
    clearTimeout(reopening);
    events.close();
    mark.hidden = true;
  };
}

let leave = follow();
addEventListener('pagehide', () => leave());
// A browser may show the page again as it was left.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) leave = follow();
});

async function look(): Promise<void> {
  isStale = true;
  if (isLooking) return;
  isLooking = true;
  let failures = 0;
  while (isStale) {
    isStale = false;
    const mayComeLater = await update();
    // The stream does not tell of this change again.
    if (mayComeLater) isStale = true;
    failures = mayComeLater ? failures + 1 : 0;
    const pauseMs = mayComeLater ? retryMs(failures) : MIN_MS.look;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  isLooking = false;
}

/** Shows the store as it is now. Resolves to whether the server could not say, but may later. */
async function update(): Promise<boolean> {
  try {
    const response = await fetch(`${own}&view=page`);
    if (!response.ok) return response.status === 429 || response.status >= 500;
    takeOver(new DOMParser().parseFromString(await response.text(), 'text/html'));
    return false;
  } catch {
    return true;
  }
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
  }, MIN_MS.announcement);
}
