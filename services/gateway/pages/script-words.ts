import { LANGUAGES } from '../http/language.ts';
import { type Texts, textsIn } from '../web/texts/texts.ts';

/** Texts of other languages, by the code of the language and the English text. */
type Words = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Words for the script of a page that is kept once for all its readers, in English.
 * @param section the texts that the script may replace
 */
export function scriptWords(section: (texts: Texts) => Readonly<Record<string, string>>): Words {
  const english = section(textsIn('en'));
  return Object.fromEntries(
    LANGUAGES.filter((language) => language !== 'en').map((language) => {
      const texts = section(textsIn(language));
      return [
        language,
        Object.fromEntries(
          Object.entries(english)
            .map(([name, text]) => [text, texts[name] ?? text])
            .filter(([text, other]) => text !== other),
        ),
      ];
    }),
  );
}

const textPageTexts = ({ copy, topBar: { download, raw, byte, bytes }, textPage }: Texts) => ({
  ...copy,
  ...textPage,
  download,
  raw,
  byte,
  bytes,
});

/** The texts of the page of a text as it is kept, and what its script puts in their place. */
export const TEXT_PAGE_TEXTS = textPageTexts(textsIn('en'));
export const TEXT_PAGE_WORDS = scriptWords(textPageTexts);
