interface PageOptions {
  /** Raw media type of the body. */
  type?: string;
  query?: Record<string, string>;
  password?: string;
}

export interface Published {
  namespace: string;
  id: string;
  /** `/{ns}/{id}` */
  path: string;
  url: string;
  ownerToken: string;
}

/** Publishes a page through the API. */
export async function publish(
  baseUrl: string,
  content: string,
  options: PageOptions = {},
): Promise<Published> {
  const { type = 'text/html', query = {}, password } = options;
  const response = await fetch(`${baseUrl}/api/html?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: {
      'Content-Type': type,
      'User-Agent': 'PerchTests/1',
      ...(password === undefined ? {} : { 'X-Password': password }),
    },
    body: content,
  });
  if (response.status !== 201) throw new Error(`publish: ${response.status} ${await response.text()}`);
  const created = (await response.json()) as Omit<Published, 'path'>;
  return { ...created, path: `/${created.namespace}/${created.id}` };
}
