/** Keeps the numbers of the statistics page fresh while somebody looks at it, with days of the reader's time zone. */
import { formatSize } from '../../../../../shared/pages/format-size.ts';
import { language } from '../../texts/page-language.ts';

const EVERY_MS = 5_000;

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Numbers by their names in `/api/stats`. */
type Figures = Readonly<Record<string, unknown>>;

interface Stats extends Figures {
  readonly breakdown: ReadonlyArray<Figures & { readonly type: string }>;
  readonly timestamp: string;
}

function show(stats: Stats): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-figure]')) {
    const kind = place.closest('[data-kind]')?.getAttribute('data-kind');
    const figures = kind ? stats.breakdown.find(({ type }) => type === kind) : stats;
    const number = figures?.[place.dataset.figure ?? ''];
    if (typeof number !== 'number') continue;
    place.textContent =
      place.dataset.size === undefined
        ? number.toLocaleString(language.locale)
        : formatSize(number, language);
  }
  const zone = document.getElementById('stats-zone');
  if (zone) zone.textContent = timeZone;
  const time = document.createElement('time');
  time.dateTime = stats.timestamp;
  time.textContent = new Date(stats.timestamp).toLocaleTimeString(language.locale);
  document.getElementById('stats-time')?.replaceChildren(time);
}

async function refresh(): Promise<void> {
  if (document.hidden) return;
  try {
    const response = await fetch(`/api/stats?tz=${encodeURIComponent(timeZone)}`);
    if (response.ok) show((await response.json()) as Stats);
  } catch {
    // The service is away: the numbers stay as they are until it is back.
  }
}

async function keepFresh(): Promise<void> {
  await refresh();
  setTimeout(keepFresh, EVERY_MS);
}

document.addEventListener('visibilitychange', refresh);
void keepFresh();
