import type { RequestOptions } from './client.ts';

/** A part of a form as it goes over the wire. */
export interface FormPart {
  name: string;
  content: string | Uint8Array;
  /** A part with one is a file. */
  filename?: string;
  type?: string;
  /** The whole Content-Disposition, instead of one made of name and filename. */
  disposition?: string;
}

export const BOUNDARY = 'perch-acceptance-7MA4YWxkTrZu0gW';

export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

/** How browsers and curl write a name (HTML standard, "multipart/form-data encoding algorithm"). */
const escaped = (name: string): string =>
  name.replaceAll('\n', '%0A').replaceAll('\r', '%0D').replaceAll('"', '%22');

/** UTF-8; half of a surrogate pair as the three bytes that no UTF-8 has (WTF-8), and not as a replacement of it. */
const encode = (text: string): Uint8Array =>
  Buffer.concat(
    text
      .split(/([\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])/)
      .map((piece) => (piece.isWellFormed() ? Buffer.from(piece) : halfPair(piece.charCodeAt(0)))),
  );

const halfPair = (code: number): Uint8Array =>
  Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));

/** The bytes of a form (RFC 7578): exactly these parts in exactly this order. */
export function encodeForm(parts: FormPart[]): Uint8Array {
  const pieces = parts.flatMap(({ name, content, filename, type, disposition }) => {
    const named = filename === undefined ? '' : `; filename="${escaped(filename)}"`;
    const head = [
      `--${BOUNDARY}`,
      `Content-Disposition: ${disposition ?? `form-data; name="${escaped(name)}"${named}`}`,
      ...(type === undefined ? [] : [`Content-Type: ${type}`]),
    ];
    return [encode(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(content), Buffer.from('\r\n')];
  });
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** Options that send a form. */
export const form = (parts: FormPart[], options: RequestOptions = {}): RequestOptions => ({
  ...options,
  body: encodeForm(parts),
  headers: { 'Content-Type': FORM_TYPE, ...options.headers },
});

/** The text fields of a form. */
export const fieldsOf = (fields: Record<string, string>): FormPart[] =>
  Object.entries(fields).map(([name, content]) => ({ name, content }));
