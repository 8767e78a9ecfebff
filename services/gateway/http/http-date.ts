/** Formats of a date in HTTP: the one that is sent, and two old ones that are read, too (RFC 9110, section 5.6.7). */
const FORMATS = [
  /^\w{3}, (?<day>\d{2}) (?<month>\w{3}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^\w{6,9}, (?<day>\d{2})-(?<month>\w{3})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/,
  /^\w{3} (?<month>\w{3}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/,
];

/** As HTTP writes it, to the second. */
export const httpDate = (ms: number): string => new Date(ms).toUTCString();

/**
 * A date of a header in ms since the epoch; `null` for what is none.
 * @param now ms since the epoch, which tells the century of a year of two digits: it is at most 50 years ahead
 */
export function parseHttpDate(text: string, now = Date.now()): number | null {
  for (const format of FORMATS) {
    const { day, month, year, time } = format.exec(text)?.groups ?? {};
    if (day === undefined || year === undefined) continue;
    const date = `${day.replace(' ', '0')} ${month} ${fullYear(year, now)} ${time} GMT`;
    const ms = Date.parse(date);
    // `Date.parse` takes 31 February for 3 March.
    return Number.isFinite(ms) && httpDate(ms).endsWith(date) ? ms : null;
  }
  return null;
}

function fullYear(year: string, now: number): string {
  if (year.length === 4) return year;
  const current = new Date(now).getUTCFullYear();
  const sameCentury = current - (current % 100) + Number(year);
  return String(sameCentury > current + 50 ? sameCentury - 100 : sameCentury);
}
