import { html, type SafeHtml } from './html.ts';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
const whole = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' },
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
});

/** `3 hours ago`, `in 12 days`; less than a minute is `just now`, or `in a moment`. */
export function relativeTime(date: Date, now: Date): string {
  const distance = date.getTime() - now.getTime();
  for (const [unit, length] of UNITS)
    if (Math.abs(distance) >= length) return relative.format(Math.round(distance / length), unit);
  return distance > 0 ? 'in a moment' : 'just now';
}

/** A `<time>` with the relative time, whose title carries the instant in UTC. */
export function relativeTimeTag(date: Date, now: Date): SafeHtml {
  return html`<time datetime="${date.toISOString()}" title="${whole.format(date)} UTC">${relativeTime(date, now)}</time>`;
}
