import { randomInt } from 'node:crypto';
import { customAlphabet } from 'nanoid';
import { PUBLIC_NAMESPACE } from '../../../../shared/items/item.ts';
import { NAMESPACE, RESERVED_NAMESPACES } from '../../items/item-address.ts';

/** Longest namespace, in characters (specification 2.3). */
const MAX_LENGTH = 32;

/** Valid names that are not offered: the shared namespace, and those whose items' API addresses look like another's. */
const NOT_OFFERED: ReadonlySet<string> = new Set([
  ...[PUBLIC_NAMESPACE, 'html', 'json', 'files', 'sites', 'owner', 'namespace'],
]);

const ADJECTIVES =
  'amber bold brave bright brisk calm clear copper coral crisp gentle golden green happy hazel keen kind light lively lucky merry mild misty noble olive proud quick quiet ruby sage silver smart snowy still sunny swift tidy vivid warm wild'.split(
    ' ',
  );
const NOUNS =
  'crane crow dipper dove duck eagle egret falcon finch gannet goose grebe gull hawk heron hoopoe ibis jackdaw jay kestrel kite lark linnet magpie martin merlin osprey owl petrel pipit plover puffin raven robin rook shrike siskin skylark starling stork swallow swan swift teal tern thrush warbler wren'.split(
    ' ',
  );

/** Characters of a text that are used; the rest is ignored. */
const LOOKED_AT = 200;

/** Letters that Unicode does not decompose into a base letter and an accent. */
const FOLDED: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŋ: 'n',
  ŧ: 't',
};

/** Characters of random codes, without those that are easily confused. */
const code = customAlphabet('abcdefghjkmnpqrstuvwxyz23456789', 4);

const pick = (words: string[]): string => words[randomInt(words.length)] ?? '';

/**
 * Random names of two words and a number, such as `brave-kestrel-36`.
 * @param attempt counted from 1: the number has two digits, and one more at each further attempt
 */
export function randomNames(count: number, attempt: number): string[] {
  const number = () => randomInt(10 ** attempt, 10 ** (attempt + 1));
  return Array.from({ length: count }, () => `${pick(ADJECTIVES)}-${pick(NOUNS)}-${number()}`);
}

/**
 * Names made of a text, best first, each once: the text itself where it can be one, then with a word or a code behind
 * it. Random ones when it is empty.
 */
export function namesLike(text: string, count: number, attempt: number): string[] {
  const slug = slugOf(text);
  if (slug === '') return randomNames(count, attempt);
  const endings = [pick(NOUNS), pick(NOUNS), ...Array.from({ length: count }, code)];
  const names = new Set([
    cut(slug, MAX_LENGTH),
    ...endings.map((ending) => `${cutFor(slug, ending)}-${ending}`),
  ]);
  return [...names].filter(mayBeOffered).slice(0, count);
}

/**
 * A text in the characters of a namespace: lower-case, accents folded, all else hyphens. Empty where nothing is left; it
 * may be shorter or longer than a namespace.
 */
function slugOf(text: string): string {
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

/** Whether a name is a namespace that anybody may have for themselves. */
const mayBeOffered = (name: string): boolean =>
  NAMESPACE.test(name) && !RESERVED_NAMESPACES.has(name) && !NOT_OFFERED.has(name);

const cutFor = (slug: string, ending: string): string => cut(slug, MAX_LENGTH - 1 - ending.length);

const cut = (slug: string, length: number): string => slug.slice(0, length).replace(/-+$/, '');
