import mime from 'mime';

/** Programs that people read rather than run; `mime` takes some of them for films. */
const SOURCE = /\.(?:ts|mts|cts|tsx|jsx)$/i;

/** The type that a file of a site is served as, by its name; text counts as UTF-8. */
export function contentTypeOf(path: string): string {
  if (SOURCE.test(path)) return 'text/plain; charset=utf-8';
  // Behind a slash a name without a dot is not taken for an extension.
  const type = mime.getType(`/${path}`) ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}
