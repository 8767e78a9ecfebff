import { isUtf8 } from 'node:buffer';
import mime from 'mime';

/** Programs that people read rather than run; `mime` takes some of them for films. */
const SOURCE = /\.(?:ts|mts|cts|tsx|jsx)$/i;

/**
 * The type that a file of a site is served as, by its name. Text in another encoding than UTF-8 says itself which one it
 * is (`<meta charset>`, a byte order mark): a charset in the header would speak louder.
 */
export function contentTypeOf(path: string, bytes: Uint8Array): string {
  const type = typeOf(path);
  return type.startsWith('text/') && isUtf8(bytes) ? `${type}; charset=utf-8` : type;
}

function typeOf(path: string): string {
  if (SOURCE.test(path)) return 'text/plain';
  // Behind a slash a name without a dot is not taken for an extension.
  return mime.getType(`/${path}`) ?? 'application/octet-stream';
}
