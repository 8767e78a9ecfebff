/** Whether a browser shows a response where it can (`inline`) or saves it as a file (`attachment`). */
export type Disposition = 'inline' | 'attachment';

/**
 * A Content-Disposition with the name to save the content under: an ASCII form for old clients and the exact one
 * (RFC 6266, RFC 8187). Any text gives a valid header.
 */
export function contentDisposition(disposition: Disposition, filename: string): string {
  const name = filename.toWellFormed().replace(CONTROL, '_');
  const ascii = name.replace(/[^\x20-\x7e]/gu, '_').replace(/["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;
