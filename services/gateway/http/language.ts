import Negotiator from 'negotiator';

/** Languages of the service's pages; the first is for who states no preference. */
export const LANGUAGES = ['en', 'de'] as const;

export type Language = (typeof LANGUAGES)[number];

/** Names in the Vary header of answers that are written in the reader's language. */
export const LANGUAGE_HEADERS = 'Accept-Language, Cookie';

/** Set by the language switch of the pages (`web/browser/pages/frame.ts`). */
const COOKIE = /(?:^|;\s*)perch_language=([a-z]{2})(?=;|$)/;

/** The language a person has chosen on this host, else the one their browser prefers (RFC 9110, section 12.5.4). */
export function languageOf({ headers }: Pick<Request, 'headers'>): Language {
  const [, chosen] = COOKIE.exec(headers.get('cookie') ?? '') ?? [];
  const known = LANGUAGES.find((language) => language === chosen);
  if (known !== undefined) return known;
  const accepted = headers.get('accept-language');
  if (accepted === null) return LANGUAGES[0];
  const [best] = new Negotiator({ headers: { 'accept-language': accepted } }).languages([...LANGUAGES]);
  return LANGUAGES.find((language) => language === best) ?? LANGUAGES[0];
}
