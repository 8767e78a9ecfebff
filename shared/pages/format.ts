import { html, type SafeHtml } from './html.ts';

const SIZE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** A size for people: 1 KB is 1,024 bytes, one decimal below 10 (`1.5 KB`, `12 MB`). */
export function formatSize(bytes: number): string {
  if (bytes === 1) return '1 byte';
  let value = bytes;
  let unit = 0;
  while (unit < SIZE_UNITS.length - 1 && (unit === 0 ? value >= 1024 : roundSize(value) >= 1024)) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : roundSize(value)} ${SIZE_UNITS[unit]}`;
}

function roundSize(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}

const day = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

const minute = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

/** `6 Dec 2026` in UTC, as a `<time>` whose title carries the hour and minute. */
export function dateTag(date: Date): SafeHtml {
  return html`<time datetime="${date.toISOString()}" title="${formatInstant(date)}">${day.format(date)}</time>`;
}

/** `6 Dec 2026, 07:20 UTC` as a `<time>`. */
export function instantTag(date: Date): SafeHtml {
  return html`<time datetime="${date.toISOString()}">${formatInstant(date)}</time>`;
}

function formatInstant(date: Date): string {
  return `${day.format(date)}, ${minute.format(date)} UTC`;
}
