/** What longer text is cut to before it is looked at. */
const LOOKED_AT = 200;

/** Letters that Unicode does not take apart into a plain one and an accent. */
const FOLDED: Record<string, string> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ı: 'i', ł: 'l', ŋ: 'n', ŧ: 't' },
};

/**
 * A text in the characters of a namespace: lower-case, accents folded, all else hyphens. Empty where nothing is left; it
 * may be shorter or longer than a namespace.
 */
export function slugOf(text: string): string {
  return text
    .slice(0, LOOKED_AT)
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[ß-ŧ]/g, (letter) => FOLDED[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
