/** Names an item. The answer to a create does; its owner token is then used for changes. */
export interface ItemRef {
  namespace: string;
  id: string;
  ownerToken?: string | undefined;
}

/** The address of an operation: `{name}` in its path is replaced, slashes in `filePath` stay. */
export function addressOf(
  path: string,
  parameters: Record<string, string> = {},
  query: Record<string, unknown> = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name] ?? '';
    return name === 'filePath'
      ? value.split('/').map(encodeURIComponent).join('/')
      : encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) search.append(name, String(one));
  return search.size === 0 ? filled : `${filled}?${search}`;
}
