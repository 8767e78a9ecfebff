import { ENGLISH, type Wording } from './wording.ts';

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** `3 hours ago`, `in 12 days`; less than a minute is `just now`, or `in a moment`. */
export function relativeTime(date: Date, now: Date, wording: Wording = ENGLISH): string {
  const distance = date.getTime() - now.getTime();
  for (const [unit, length] of UNITS)
    if (Math.abs(distance) >= length)
      return formatterOf(wording.locale).format(Math.round(distance / length), unit);
  return distance > 0 ? wording.inAMoment : wording.justNow;
}

const formatters = new Map<string, Intl.RelativeTimeFormat>();

function formatterOf(locale: string): Intl.RelativeTimeFormat {
  const known = formatters.get(locale);
  if (known !== undefined) return known;
  const made = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
  formatters.set(locale, made);
  return made;
}

/** `in 30 seconds`, `in 15 minutes`: from 90 seconds on in minutes, rounded up, so that nobody comes back too early. */
export function inSeconds(seconds: number, { locale }: Wording = ENGLISH): string {
  const format = formatterOf(locale);
  return seconds < 90 ? format.format(seconds, 'second') : format.format(Math.ceil(seconds / 60), 'minute');
}
