import { LANGUAGES } from '../http/language.ts';
import { textsIn } from '../web/texts/texts.ts';

/** The texts of the top bar as pages have them: a rendered page is kept once for all its readers, in English. */
export const TOP_BAR_TEXTS = textsIn('en').topBar;

/** For the bar's script: what stands for each English text in each other language, by the code of the language. */
export const TOP_BAR_WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  LANGUAGES.filter((language) => language !== 'en').map((language) => {
    const { topBar: texts } = textsIn(language);
    return [
      language,
      Object.fromEntries(
        Object.entries(TOP_BAR_TEXTS)
          .map(([name, english]) => [english, (texts as Readonly<Record<string, string>>)[name] ?? english])
          .filter(([english, text]) => english !== text),
      ),
    ];
  }),
);
