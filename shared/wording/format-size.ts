import { ENGLISH, type Wording } from './wording.ts';

const LARGER_UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** A size for people: 1 KB is 1,024 bytes, one decimal below 10 (`1.5 KB`, `12 MB`). */
export function formatSize(bytes: number, { byte, bytes: many, locale }: Wording = ENGLISH): string {
  if (bytes < 1024) return `${bytes} ${bytes === 1 ? byte : many}`;
  let value = bytes / 1024;
  let unit = 0;
  while (unit < LARGER_UNITS.length - 1 && rounded(value) >= 1024) {
    value /= 1024;
    unit += 1;
  }
  const number = rounded(value).toLocaleString(locale, { useGrouping: false, maximumFractionDigits: 1 });
  return `${number} ${LARGER_UNITS[unit]}`;
}

const rounded = (value: number): number => (value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
