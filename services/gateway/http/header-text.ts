const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * A header's value as its sender meant it. HTTP hands its bytes over as Latin-1, but shells and most clients send
 * UTF-8, so that it equals the same text in a query; what is not UTF-8 is Latin-1, as browsers send it.
 */
export function headerText(headers: Headers, name: string): string | null {
  const value = headers.get(name);
  if (value === null || !/[\u0080-\u00ff]/.test(value)) return value;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

/** Text as a header's value that `headerText` reads back. */
export const toHeaderText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
