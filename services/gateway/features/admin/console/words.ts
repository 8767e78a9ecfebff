import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { formatSize } from '../../../../../shared/wording/format-size.ts';
import { LANGUAGES, type Language } from '../../../http/language.ts';
import { type Texts, textsIn } from '../../../web/texts/texts.ts';

/** The console's texts in one language, and how it writes numbers, sizes and moments. */
export interface Words {
  readonly language: Language;
  readonly texts: Texts['operator'];
  readonly kinds: Texts['kinds'];
  /** Why somebody reports an item, as the report form has it. */
  readonly categories: Texts['report']['categories'];
  /** How the language writes times that are relative. */
  readonly wording: Texts['language'];
  /** A whole number, its thousands apart. */
  number(value: number): string;
  decimal(value: number, digits: number): string;
  /** A part of one in percent, with one decimal. */
  percent(part: number): string;
  size(bytes: number): string;
  /** A moment to the second, in UTC. */
  stamp(at: number): SafeHtml;
  /** A day of UTC. */
  day(at: number): string;
  /** A moment to the minute without its year, in UTC. */
  minute(at: number): string;
}

function createWords(language: Language): Words {
  const { operator, kinds, report, language: wording } = textsIn(language);
  const { locale } = wording;
  const formats = {
    number: new Intl.NumberFormat(locale),
    percent: new Intl.NumberFormat(locale, {
      style: 'percent',
      minimumFractionDigits: 1,
      maximumFractionDigits: 1,
    }),
    second: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }),
    day: new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }),
    minute: new Intl.DateTimeFormat(locale, {
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone: 'UTC',
    }),
  } as const;
  return {
    language,
    texts: operator,
    kinds,
    categories: report.categories,
    wording,
    number: (value) => formats.number.format(value),
    decimal: (value, digits) =>
      value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    percent: (part) => formats.percent.format(part),
    size: (bytes) => formatSize(bytes, wording),
    stamp: (at) => html`<time datetime="${new Date(at).toISOString()}">${formats.second.format(at)}</time>`,
    day: (at) => formats.day.format(at),
    minute: (at) => formats.minute.format(at),
  };
}

const WORDS: ReadonlyMap<Language, Words> = new Map(
  LANGUAGES.map((language) => [language, createWords(language)]),
);

/** The words of the console in a language. */
export const wordsIn = (language: Language): Words => WORDS.get(language) ?? createWords(language);
