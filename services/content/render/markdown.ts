import { Marked, type MarkedExtension, Renderer, type Token, type Tokens } from 'marked';
import markedAlert from 'marked-alert';
import markedFootnote from 'marked-footnote';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';
import { markedHighlight } from 'marked-highlight';
import { html, trusted } from '../../../shared/pages/html.ts';
import { assertShortEnough, type RenderedPage, type RenderInput, renderDocument } from './document.ts';
import { highlight } from './highlight.ts';
import { createMathematics, type Mathematics } from './math.ts';
import { plainText, sanitise } from './sanitise.ts';

/** The longest block that is highlighted, and all blocks of a page together, in UTF-16 code units. */
const MAX_HIGHLIGHTED_BLOCK = 100 * 1024;
const MAX_HIGHLIGHTED_PAGE = 500 * 1024;

/** The service's limit for titles (characters). */
const MAX_TITLE = 200;

/** Heading ids never hold a colon, so footnote ids cannot meet them. */
const FOOTNOTE_PREFIX = 'fn:';

/** Keys and values between `---` lines at the very start, as static site generators read them. */
const FRONT_MATTER = /^---[ \t]*\n(?=[\w-]+[ \t]*:)([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/;

/**
 * A markdown page: GFM, alerts, formulas, footnotes, heading ids with anchors, highlighted code; sanitised.
 * Throws a RangeError on input nested so deep that the parser's stack overflows, or that makes too long a page. Takes seconds on megabytes of
 * dense markup, so it runs in the render process only.
 */
export function renderMarkdown(input: Omit<RenderInput, 'format' | 'language'>): RenderedPage {
  const source = input.content.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const math = source.includes('$') || source.includes('```math') ? createMathematics() : null;
  const markup = createMarked(math).parse(fenceFrontMatter(source), { async: false });
  // Sanitising takes longest, so markup that is too long is refused before it.
  assertShortEnough(markup, input);
  const sanitised = sanitise(markup, math === null ? [] : [math.placeClass]);
  const title = input.title ?? firstHeading(math) ?? input.filename;
  const anchored = addAnchors(sanitised);
  const content =
    sanitised.trim() === '' ? '<p class="empty">This page is empty.</p>' : (math?.fill(anchored) ?? anchored);
  const body = html`<main class="markdown" dir="auto">
${trusted(content)}</main>`;
  return { html: renderDocument({ format: 'MARKDOWN', title, body }), title };
}

/** Made anew for each page: the extensions keep state, which a page that threw would leave behind. */
function createMarked(math: Mathematics | null): Marked {
  let budget = MAX_HIGHLIGHTED_PAGE;
  return new Marked(
    headingIds(),
    ...(math === null ? [] : [math.extension]),
    markedAlert(),
    markedFootnote({ prefixId: FOOTNOTE_PREFIX }),
    markedHighlight({
      highlight(code, language) {
        if (code.length > MAX_HIGHLIGHTED_BLOCK || code.length > budget) return code;
        const highlighted = highlight(code, language);
        if (highlighted !== null) budget -= code.length;
        return highlighted ?? code;
      },
    }),
    { gfm: true, renderer: { table: scrollingTable, list: directedList, blockquote: directedQuote } },
  );
}

function scrollingTable(this: Renderer, token: Tokens.Table): string {
  const table = Renderer.prototype.table.call(this, token);
  return `<div class="scroll" tabindex="0" role="region" aria-label="Table">${table}</div>\n`;
}

/** Numbers, points and boxes stand on the side that the list's first letters begin on. */
function directedList(this: Renderer, token: Tokens.List): string {
  return Renderer.prototype.list.call(this, token).replace(/^<[ou]l/, '$& dir="auto"');
}

function directedQuote(this: Renderer, token: Tokens.Blockquote): string {
  return Renderer.prototype.blockquote.call(this, token).replace(/^<blockquote/, '$& dir="auto"');
}

function fenceFrontMatter(source: string): string {
  return source.replace(FRONT_MATTER, (_all, fields: string) => {
    const longest = Math.max(2, ...(fields.match(/~+/g) ?? []).map((run) => run.length));
    const fence = '~'.repeat(longest + 1);
    return `${fence}yaml\n${fields}\n${fence}\n\n`;
  });
}

function firstHeading(math: Mathematics | null): string | null {
  for (const heading of getHeadingList()) {
    const text = plainText(math?.restore(heading.text) ?? heading.text);
    if (text !== '') return [...text].slice(0, MAX_TITLE).join('');
  }
  return null;
}

function addAnchors(sanitised: string): string {
  return new HTMLRewriter()
    .on('h1[id], h2[id]:not(.sr-only), h3[id], h4[id], h5[id], h6[id]', {
      element(heading) {
        // The attribute comes out as written, which the sanitiser has escaped for double quotes.
        const id = heading.getAttribute('id') ?? '';
        heading.append(`<a class="anchor" href="#${id}" aria-label="Link to this section"></a>`, {
          html: true,
        });
      },
    })
    .transform(sanitised);
}

/** Headings with ids as GitHub makes them, and the list of their texts, both without the marks of footnotes. */
function headingIds(): MarkedExtension {
  const extension = gfmHeadingId();
  const render = extension.renderer?.heading;
  if (render === undefined) throw new Error('marked-gfm-heading-id renders no headings');
  return {
    ...extension,
    renderer: {
      heading(token) {
        if (!token.raw.includes('[^')) return render.call(this, token);
        const named = render.call(this, { ...token, tokens: withoutFootnoteMarks(token.tokens) });
        if (named === false) return false;
        const start = named.slice(0, named.indexOf('>') + 1);
        return `${start}${this.parser.parseInline(token.tokens)}</h${token.depth}>\n`;
      },
    },
  };
}

function withoutFootnoteMarks(tokens: Token[]): Token[] {
  return tokens
    .filter(({ type }) => type !== 'footnoteRef')
    .map((token) =>
      'tokens' in token && token.tokens ? { ...token, tokens: withoutFootnoteMarks(token.tokens) } : token,
    );
}
