import type { MarkedExtension, Token } from 'marked';
import { gfmHeadingId } from 'marked-gfm-heading-id';

/** Headings with ids as GitHub makes them, and the list of their texts, both without the marks of footnotes. */
export function headingIds(): MarkedExtension {
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
