/** Names an item. The answer to a create does; its owner token is then used for changes. */
export interface ItemRef {
  namespace: string;
  id: string;
  ownerToken?: string | undefined;
}

/**
 * The address of an operation: `{name}` in its path is replaced, slashes in `filePath` stay.
 * @throws TypeError for a part that a URL cannot have: the address would be that of what is around it
 */
export function addressOf(
  path: string,
  parameters: Record<string, string> = {},
  query: Record<string, unknown> = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name] ?? '';
    const parts = name === 'filePath' ? value.split('/') : [value];
    if (value === '' || parts.some((part) => part === '.' || part === '..'))
      throw new TypeError(
        `"${value}" is no ${name}: a URL leaves out a part that is empty, "." or "..", and would name what is around it.`,
      );
    return parts.map(encodeURIComponent).join('/');
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) search.append(name, String(one));
  return search.size === 0 ? filled : `${filled}?${search}`;
}
