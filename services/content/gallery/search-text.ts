/** A search in words, as `searchListed` takes it. */
export interface GallerySearch {
  /** The operator before each term: none, `-` (the term must be absent), `or `, `or -`. */
  operators: string[];
  /** Words to be found side by side, without quotes and punctuation that would mean something. */
  terms: string[];
  /** Whether the last word may be the beginning of one: it is still being typed. */
  prefixed: boolean;
}

/** A phrase in quotes, closed or not, or a word; either may be negated. */
const TERM = /(-*)(?:"([^"]*)(?:"|$)|([^\s"]+))/g;
/** Phones put these where people type a plain one. */
const TYPOGRAPHIC_QUOTES = /[\u201c-\u201f\u00ab\u00bb]/g;
const WORD_CHARACTER = /[\p{L}\p{N}]/u;

/**
 * Reads a search as websearch_to_tsquery does: words that must all be there, "phrases", -negations, `or`. A word with
 * punctuation in it (launch-notes.txt) is a phrase of its parts. `null`: there is no word in it.
 */
export function parseSearch(text: string): GallerySearch | null {
  const found = [...text.normalize('NFKC').replace(TYPOGRAPHIC_QUOTES, '"').matchAll(TERM)]
    .map(([, minus = '', phrase, word]) => ({
      negated: minus !== '',
      quoted: phrase !== undefined,
      term: (phrase ?? word ?? '').replaceAll('-', ' '),
    }))
    .filter(({ term }) => WORD_CHARACTER.test(term));
  const operators: string[] = [];
  const terms: string[] = [];
  let either = false;
  for (const [index, { negated, quoted, term }] of found.entries()) {
    const connects = !negated && !quoted && term.toLowerCase() === 'or';
    // Only between two others; and of two in a row the second is a word.
    if (connects && !either && index > 0 && index < found.length - 1) {
      either = true;
      continue;
    }
    operators.push(`${either ? 'or ' : ''}${negated ? '-' : ''}`);
    terms.push(term);
    either = false;
  }
  const last = found.at(-1);
  if (last === undefined) return null;
  return { operators, terms, prefixed: !last.negated && !last.quoted };
}
