import { type RenderedPage, type RenderInput, renderDocument } from './document.ts';
import { highlight, languageName } from './highlight.ts';
import { escapeText, plainTextPage, textBody, toLines } from './plain-text.ts';

/** Longest text that is shown with colours, in UTF-16 code units. */
const MAX_HIGHLIGHTED = 200 * 1024;

/** A TEXT page: escaped, highlighted when its language is known, with line numbers. */
export function renderText(input: Omit<RenderInput, 'format'>): RenderedPage {
  const { language, content } = input;
  const title = input.title ?? input.filename;
  const kind = language === null ? null : displayName(language);
  if (language === null || kind === null) return { html: plainTextPage({ content, title }), title };
  const lines = toLines(content);
  const markup = lines.length > MAX_HIGHLIGHTED ? null : highlight(lines, language);
  const sizeBytes = Buffer.byteLength(content);
  const body = textBody({ title, kind, sizeBytes, markup: markup ?? escapeText(lines) });
  return { html: renderDocument({ format: 'TEXT', title, body }), title };
}

/** highlight.js names a few languages after their family (`TOML, also INI`). */
function displayName(language: string): string | null {
  const known = { csv: 'CSV', tsv: 'TSV', toml: 'TOML', ini: 'INI', xml: 'XML' }[language.toLowerCase()];
  return known ?? languageName(language);
}
