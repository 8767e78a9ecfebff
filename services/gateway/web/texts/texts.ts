import type { Language } from '../../http/language.ts';
import * as de from './de.ts';
import * as en from './en.ts';

/** Every text of the service's pages in one language, by section: one for each page, and what several share. */
export type Texts = typeof en;

/** Another language is another file here, and its code in `LANGUAGES`. */
const TEXTS: Readonly<Record<Language, Texts>> = { en, de };

/** Texts of the pages in a language. Browser code imports `page-language.ts` instead. */
export const textsIn = (language: Language): Texts => TEXTS[language];
