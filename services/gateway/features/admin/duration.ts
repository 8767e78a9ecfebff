/** ISO 8601, section 5.5.2: years, months, weeks and days, then behind a T hours, minutes and seconds. */
const DURATION =
  /^P(?=.)(?:(\d{1,3})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,5})D)?(?:T(?=.)(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/;

/** Most years until the end of a duration. */
const YEARS = 100;

/**
 * The moment at which a duration ends that begins `from` (ms since the epoch); `null` when it is none, has no length, or
 * ends in more than a hundred years. Years and months are those of the calendar, UTC.
 */
export function endOfDuration(text: string, from: number): number | null {
  const parts = DURATION.exec(text.trim().toUpperCase());
  if (parts === null) return null;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const end = new Date(from);
  // Of a month that is shorter, the last day.
  const day = end.getUTCDate();
  end.setUTCFullYear(end.getUTCFullYear() + years, end.getUTCMonth() + months, 1);
  const lastDay = new Date(Date.UTC(end.getUTCFullYear(), end.getUTCMonth() + 1, 0)).getUTCDate();
  end.setUTCDate(Math.min(day, lastDay));
  const ms = ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
  const at = end.getTime() + ms;
  const latest = new Date(from);
  latest.setUTCFullYear(latest.getUTCFullYear() + YEARS);
  return at > from && at <= latest.getTime() ? at : null;
}
