// @ts-check

/** Keeps the numbers of the statistics page fresh while somebody looks at it, with days of the reader's time zone. */

const EVERY_MS = 5_000;
const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param {number} bytes */
function sizeText(bytes) {
  if (bytes === 1) return '1 byte';
  let value = bytes;
  let unit = 0;
  while (unit < UNITS.length - 1 && (unit === 0 ? value >= 1024 : rounded(value) >= 1024)) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : rounded(value)} ${UNITS[unit]}`;
}

/** @param {number} value */
const rounded = (value) => (value < 10 ? Math.round(value * 10) / 10 : Math.round(value));

/** @param {any} stats */
function show(stats) {
  for (const place of document.querySelectorAll('[data-figure]')) {
    if (!(place instanceof HTMLElement)) continue;
    const kind = place.closest('[data-kind]')?.getAttribute('data-kind');
    const figures = kind ? stats.breakdown.find((/** @type {any} */ one) => one.type === kind) : stats;
    const number = figures?.[place.dataset.figure ?? ''];
    if (typeof number !== 'number') continue;
    place.textContent = place.dataset.size === undefined ? number.toLocaleString('en') : sizeText(number);
  }
  const zone = document.getElementById('stats-zone');
  if (zone) zone.textContent = timeZone;
  const time = document.createElement('time');
  time.dateTime = stats.timestamp;
  time.textContent = new Date(stats.timestamp).toLocaleTimeString('en-GB');
  document.getElementById('stats-time')?.replaceChildren(time);
}

async function refresh() {
  if (document.hidden) return;
  try {
    const response = await fetch(`/api/stats?tz=${encodeURIComponent(timeZone)}`);
    if (response.ok) show(await response.json());
  } catch {
    // The service is away: the numbers stay as they are until it is back.
  }
}

async function keepFresh() {
  await refresh();
  setTimeout(keepFresh, EVERY_MS);
}

document.addEventListener('visibilitychange', refresh);
void keepFresh();
