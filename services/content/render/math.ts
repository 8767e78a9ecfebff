import { randomBytes } from 'node:crypto';
import katex from 'katex';
import type { MarkedExtension, TokenizerAndRendererExtension, Tokens } from 'marked';

/** Mathematics in a page, written as on GitHub: `$…$`, `$$…$$`, and code blocks of the language `math`. */
export interface Mathematics {
  readonly extension: MarkedExtension;
  /** The class of the places that formulas are put in after sanitising, as a pattern for the sanitiser. */
  readonly placeClass: string;
  /** Puts the formulas into a sanitised page. */
  fill(sanitised: string): string;
  /** The source of formulas in place of them, for a text such as a title. */
  restore(markup: string): string;
}

/** The longest formula that is typeset, all of a page together, and all that comes out, in UTF-16 code units. */
const MAX = { formula: 5_000, page: 50_000, output: 2_000_000 };

/** Signs of a page at which a formula is looked for: further ones are text. */
const MAX_SIGNS = 10_000;

/** Braces and fractions nested deeper are shown as their source: browsers lay out each level inside the other. */
const MAX_DEPTH = 40;

/** How far the text is searched for the next formula at a time: a search to its end for each piece of it would be quadratic. */
const WINDOW = 2_000;

const BLOCK = /^\$\$((?:(?!\$\$)[\s\S]){1,5000})\$\$[ \t]*(?:\n|$)/;
const FENCE = /^(`{3,})math[ \t]*\n([\s\S]{1,5000}?)\n\1`*[ \t]*(?:\n|$)/;
/** The first and the last sign are no white space, and no digit follows: `$5 and $10` are prices. */
const INLINE = /^\$(?!\s)(`?)((?:\\[\s\S]|[^$\\\n]){1,1000}?)\1(?<!\s)\$(?!\d)/;
const INLINE_BLOCK = /^\$\$((?:(?!\$\$)[^\n]){1,1000})\$\$/;

/** Commands that define others: with these a short formula can become one without end. */
const DEFINES =
  /\\(?:[egx]?def|let|futurelet|(?:re|provide)?newcommand|providecommand|global|long)(?![a-z])/i;

/**
 * Formulas become MathML by KaTeX, which needs neither fonts nor scripts in the page. The sanitiser lets no MathML through:
 * each formula has a place of a name that nobody can know, and comes in afterwards. A formula that cannot be typeset is
 * shown as its source.
 */
export function createMathematics(): Mathematics {
  const prefix = `math-${randomBytes(12).toString('hex')}-`;
  const formulas: Array<{ source: string; markup: string }> = [];
  const left = { page: MAX.page, output: MAX.output, signs: MAX_SIGNS };

  const place = (source: string, isBlock: boolean): string => {
    left.page -= source.length;
    const markup = left.page >= 0 && left.output >= 0 ? typeset(source, isBlock) : null;
    left.output -= markup?.length ?? 0;
    const shown = markup ?? `<code>${Bun.escapeHTML(source)}</code>`;
    formulas.push({
      source,
      markup: isBlock ? `<span class="math-block" tabindex="0">${shown}</span>` : shown,
    });
    return `<span class="${prefix}${formulas.length - 1}"></span>`;
  };
  const places = new RegExp(`<span class="${prefix}(\\d+)"></span>`, 'g');
  /** Places in texts that became attributes, such as what describes an image. */
  const escapedPlaces = new RegExp(`&lt;span class=&quot;${prefix}(\\d+)&quot;&gt;&lt;/span&gt;`, 'g');
  const sourceAt = (_: string, at: string): string => Bun.escapeHTML(formulas[Number(at)]?.source ?? '');

  const token = (type: string, raw: string, source = ''): Tokens.Generic => ({
    type,
    raw,
    source: source.trim(),
  });
  const extensions: TokenizerAndRendererExtension[] = [
    {
      name: 'mathBlock',
      level: 'block',
      tokenizer(text) {
        const fence = FENCE.exec(text);
        if (fence !== null) return token('mathBlock', fence[0], fence[2]);
        const block = BLOCK.exec(text);
        return block === null ? undefined : token('mathBlock', block[0], block[1]);
      },
      renderer: ({ source }) => `<p>${place(String(source), true)}</p>\n`,
    },
    {
      name: 'math',
      level: 'inline',
      start(text) {
        if (left.signs <= 0) return undefined;
        const at = text.slice(0, WINDOW).indexOf('$');
        if (at >= 0) return at;
        return text.length > WINDOW ? WINDOW : undefined;
      },
      tokenizer(text) {
        if (left.signs <= 0 || !text.startsWith('$')) return undefined;
        left.signs -= 1;
        const block = INLINE_BLOCK.exec(text);
        if (block !== null) return token('mathBlock', block[0], block[1]);
        const inline = INLINE.exec(text);
        return inline === null ? undefined : token('math', inline[0], inline[2]);
      },
      renderer: ({ type, source }) => place(String(source), type === 'mathBlock'),
    },
  ];

  return {
    extension: { extensions },
    placeClass: `${prefix}*`,
    fill: (sanitised) =>
      sanitised
        .replace(places, (_, at: string) => formulas[Number(at)]?.markup ?? '')
        .replace(escapedPlaces, sourceAt),
    restore: (markup) => markup.replace(places, sourceAt),
  };
}

/** `null` for what cannot be typeset, or would take too much. */
function typeset(source: string, isBlock: boolean): string | null {
  if (source.length > MAX.formula || DEFINES.test(source) || depthOf(source) > MAX_DEPTH) return null;
  try {
    return katex.renderToString(source, {
      output: 'mathml',
      displayMode: isBlock,
      throwOnError: true,
      errorColor: 'currentcolor',
      strict: false,
      trust: false,
      maxExpand: 200,
      maxSize: 20,
    });
  } catch {
    return null;
  }
}

/** How deep braces, `\left` and environments are nested, at most. */
function depthOf(source: string): number {
  let depth = 0;
  let most = 0;
  for (const [sign] of source.matchAll(/\\[{}]|\\(?:left|begin)(?![a-z])|\\(?:right|end)(?![a-z])|[{}]/gi)) {
    if (sign === '\\{' || sign === '\\}') continue;
    depth += sign === '{' || /^\\(?:left|begin)$/i.test(sign) ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
}
