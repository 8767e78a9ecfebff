import mime from 'mime';

/** The type that a file of a site is served as, by its name; text counts as UTF-8. */
export function contentTypeOf(path: string): string {
  // Behind a slash a name without a dot is not taken for an extension.
  const type = mime.getType(`/${path}`) ?? 'application/octet-stream';
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type;
}
