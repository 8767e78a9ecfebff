import { renderDocument } from './document.ts';
import { textBody, toLines } from './text-body.ts';

/**
 * The fallback of every rendered page: the source, escaped, without highlighting. Synchronous and linear in the
 * content (a few milliseconds a megabyte), so it needs neither Worker nor deadline, and loads no highlighter.
 */
export function plainTextPage(input: { readonly content: string; readonly title: string | null }): string {
  const { content, title } = input;
  const markup = Bun.escapeHTML(toLines(content));
  const body = textBody({ title, kind: 'Plain text', sizeBytes: Buffer.byteLength(content), markup });
  return renderDocument({ format: 'TEXT', title, body });
}
