import { relativeTime } from '../wording/relative-time.ts';
import { ENGLISH, type Wording } from '../wording/wording.ts';
import { html, type SafeHtml } from './html.ts';

interface DateFormats {
  readonly day: Intl.DateTimeFormat;
  readonly minute: Intl.DateTimeFormat;
}

const formats = new Map<string, DateFormats>();

function formatsOf({ locale }: Wording): DateFormats {
  const known = formats.get(locale);
  if (known !== undefined) return known;
  const made = {
    day: new Intl.DateTimeFormat(locale, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      timeZone: 'UTC',
    }),
    minute: new Intl.DateTimeFormat(locale, {
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone: 'UTC',
    }),
  };
  formats.set(locale, made);
  return made;
}

/** `6 Dec 2026` in UTC, as a `<time>` whose title carries the hour and minute. */
export function dateTag(date: Date, wording: Wording = ENGLISH): SafeHtml {
  return html`<time datetime="${date.toISOString()}" title="${formatInstant(date, wording)}">${formatsOf(wording).day.format(date)}</time>`;
}

/** `6 Dec 2026, 07:20 UTC` as a `<time>`. */
export function instantTag(date: Date, wording: Wording = ENGLISH): SafeHtml {
  return html`<time datetime="${date.toISOString()}">${formatInstant(date, wording)}</time>`;
}

/** A `<time>` with the relative time, whose title carries the instant in UTC. */
export function relativeTimeTag(date: Date, now: Date, wording: Wording = ENGLISH): SafeHtml {
  return html`<time datetime="${date.toISOString()}" title="${formatInstant(date, wording)}">${relativeTime(date, now, wording)}</time>`;
}

function formatInstant(date: Date, wording: Wording): string {
  const { day, minute } = formatsOf(wording);
  return `${day.format(date)}, ${minute.format(date)} UTC`;
}
