import { html, type SafeHtml, trusted } from '../../../shared/pages/html.ts';
import { formatSize } from '../../../shared/wording/format-size.ts';
import { renderDocument } from './document.ts';

/**
 * The fallback of every rendered page: the source, escaped, without highlighting. Synchronous and linear in the
 * content (a few milliseconds a megabyte, and a hundred for as many escapes as it shows), so it needs neither another process
 * nor a deadline, and loads no highlighter.
 */
export function plainTextPage(input: { readonly content: string; readonly title: string | null }): string {
  const { content, title } = input;
  const lines = toLines(content);
  const end = endOfShown(lines);
  const isWhole = end === lines.length;
  const markup = escapeText(isWhole ? lines : lines.slice(0, end));
  const body = textBody({
    title,
    kind: 'Plain text',
    sizeBytes: Buffer.byteLength(content),
    markup,
    isWhole,
  });
  return renderDocument({ format: 'TEXT', title, body });
}

/** Most characters of a text that are escaped; the shown text ends at the next one, so that a page of 5 MB takes 9 MB at most. */
const MAX_ESCAPES = 1_000_000;

function endOfShown(text: string): number {
  let escapes = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== AMPERSAND && code !== LESS && code !== GREATER) continue;
    escapes += 1;
    if (escapes > MAX_ESCAPES) return at;
  }
  return text.length;
}

const [AMPERSAND, LESS, GREATER] = [0x26, 0x3c, 0x3e];

/** Escapes text between tags, where quotes mean nothing. */
export const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Past this many lines the page goes without numbers: an element a line would make a browser crawl. */
const MAX_NUMBERED_LINES = 20_000;

const SPAN_OR_NEWLINE = /<span[^>]*>|<\/span>|\n/g;

/** The body of a TEXT page. `markup` is its text escaped, or highlighted with nothing but `<span>` elements. */
export function textBody(input: {
  readonly title: string | null;
  readonly kind: string;
  readonly sizeBytes: number;
  readonly markup: string;
  /** Whether `markup` is all of it. */
  readonly isWhole?: boolean;
}): SafeHtml {
  const { title, kind, sizeBytes, markup, isWhole = true } = input;
  const count = sizeBytes === 0 ? 0 : countLines(markup);
  const lines = count === 1 ? '1 line' : `${count} lines`;
  const facts = [kind, isWhole ? lines : `its first ${lines}`, formatSize(sizeBytes)];
  return html`<main class="file">
<header>${title?.trim() ? html`<h1>${title}</h1>` : null}<p>${facts.join(' · ')}</p></header>${isWhole ? null : html`<p class="empty">Too long to be shown whole. <a href="?raw=true">Raw</a> has all of it.</p>`}
${count === 0 ? html`<p class="empty">This page is empty.</p>` : code(markup, count)}
</main>`;
}

/** The text as lines with LF between them: CR LF and a lone CR end a line as well, and the last line needs no end. */
export function toLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
}

function code(markup: string, count: number): SafeHtml {
  if (count > MAX_NUMBERED_LINES) return html`<pre dir="auto"><code>${trusted(markup)}</code></pre>`;
  const style = `--digits:${String(count).length}`;
  return html`<pre><code class="lines" style="${style}">${trusted(numberedLines(markup))}</code></pre>`;
}

/** Most characters of spans that are opened anew at ends of lines: hundreds of them may be open over thousands of lines. */
const MAX_REOPENED = 2_000_000;

/**
 * One element a line, with an id for links; spans that cross a line end are closed there and opened anew on the next line.
 * @throws RangeError when that takes too much
 */
function numberedLines(markup: string): string {
  const open: string[] = [];
  let line = 1;
  let reopened = 0;
  const marked = markup.replace(SPAN_OR_NEWLINE, (token) => {
    if (token === '\n') {
      line += 1;
      for (const span of open) reopened += span.length;
      if (reopened > MAX_REOPENED) throw new RangeError('too many spans are open over too many lines');
      return `\n${'</span>'.repeat(open.length)}</span><span id="L${line}">${open.join('')}`;
    }
    if (token === '</span>') open.pop();
    else open.push(token);
    return token;
  });
  return `<span id="L1">${marked}\n</span>`;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
