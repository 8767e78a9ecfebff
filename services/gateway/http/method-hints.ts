/** A request by a method that its address does not take. */
interface Refused {
  readonly method: string;
  readonly path: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

/** Advice for a method that is not possible at an address, for those that people try; `null` for all others. */
export function methodHint({ method, path, baseUrl }: Refused): string | null {
  if (method === 'PUT' && /^\/api\/files\/[^/]+\/[^/]+$/.test(path))
    return 'The content of a file stays as it is: remove the file, then create it again with its id.';
  // `curl -F` and `curl --data-binary` to the home page, and `curl -T` to a folder.
  if ((method === 'POST' && path === '/') || (method === 'PUT' && /^\/(?!api\/)[^/]+\/./.test(path)))
    return `To publish a file: curl -T FILE ${baseUrl}/`;
  return null;
}
