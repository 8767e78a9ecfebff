/** Bytes at the start of a page in which browsers look for its charset (HTML, 13.2.3.2). */
const LOOKED_AT = 1_024;

/**
 * The text of a page, decoded as browsers do: by its byte order mark, then by the charset of its type, then by the one that it
 * declares itself. An unknown one is taken for UTF-8, in which every host can be read that is written in ASCII.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, LOOKED_AT));
  const charset = markOf(start) ?? charsetOf(contentType) ?? wideXml(start) ?? declaredIn(start) ?? 'utf-8';
  return decoderOf(charset).decode(bytes);
}

function markOf(start: string): string | null {
  if (start.startsWith('\xef\xbb\xbf')) return 'utf-8';
  if (start.startsWith('\xfe\xff')) return 'utf-16be';
  return start.startsWith('\xff\xfe') ? 'utf-16le' : null;
}

const charsetOf = (contentType: string): string | null =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1] ?? null;

/** XML says by its first characters that it is UTF-16. */
function wideXml(start: string): string | null {
  if (start.startsWith('<\0?\0')) return 'utf-16le';
  return start.startsWith('\0<\0?') ? 'utf-16be' : null;
}

/** By `<meta>` or an XML declaration. Whoever can be read so is not UTF-16, whatever is declared. */
function declaredIn(start: string): string | null {
  const declared =
    /<meta[^>]{1,300}?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start) ??
    /^<\?xml[^>]{1,200}?encoding\s*=\s*["']([\w:.-]+)/i.exec(start);
  const charset = declared?.[1] ?? null;
  return charset === null || /^utf-?16|^unicode|ucs-2/i.test(charset) ? null : charset;
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset as ConstructorParameters<typeof TextDecoder>[0]);
  } catch {
    return new TextDecoder();
  }
}
