import { strToU8, zipSync } from 'fflate';
import { inLanes } from '../../shared/in-lanes.ts';
import type { DemoContent, DemoItem, PublishedItem } from './demo-item.ts';
import type { DemoRequest, PerchClient } from './perch-client.ts';

/** Where the API keeps a kind. */
const API: Record<DemoContent['kind'], string> = {
  html: '/api/html',
  json: '/api/json',
  kv: '/api/kv',
  file: '/api/files',
  site: '/api/sites',
};

/** Number of concurrent uploads. */
const LANES = 4;

interface Publication {
  owner: string;
  onPublished(count: number): void;
}

/** Publishes items, and returns them in their order. @throws DemoStop when one is refused */
export async function publishItems(
  perch: PerchClient,
  items: readonly DemoItem[],
  { owner, onPublished }: Publication,
): Promise<PublishedItem[]> {
  let count = 0;
  return await inLanes(items, LANES, async (item) => {
    const published = await publishItem(perch, item, owner);
    count += 1;
    onPublished(count);
    return published;
  });
}

async function publishItem(perch: PerchClient, item: DemoItem, owner: string): Promise<PublishedItem> {
  const { content, title, tags, ttlDays, namespace, password } = item;
  const { headers, ...body } = bodyOf(content);
  const { reply } = await perch.ask<{ namespace: string; id: string; url: string; shortUrl: string }>(
    API[content.kind],
    {
      method: 'POST',
      ...body,
      query: {
        title,
        tags: tags.join(','),
        ttl: String(ttlDays),
        ...(namespace === null ? {} : { ns: namespace }),
      },
      headers: {
        ...headers,
        'X-Owner-Token': owner,
        ...(password === null ? {} : { 'X-Password': password }),
      },
    },
  );
  const path = `/${reply.namespace}/${reply.id}`;
  const apiPath = `${API[content.kind]}${path}`;
  const more = content.kind === 'kv' ? Object.entries(content.entries).slice(1) : [];
  for (const [key, value] of more) await perch.ask(`${apiPath}/${key}`, putValue(value, owner));
  return { ...item, path, apiPath, codePath: new URL(reply.shortUrl).pathname, url: reply.url };
}

/** A request that puts a value under a key. */
export const putValue = (value: unknown, owner: string): DemoRequest => ({
  method: 'PUT',
  headers: { 'Content-Type': 'application/json', 'X-Owner-Token': owner },
  body: JSON.stringify({ value }),
});

function bodyOf(content: DemoContent): Pick<DemoRequest, 'headers' | 'body'> {
  switch (content.kind) {
    case 'html':
      return { headers: { 'Content-Type': content.type }, body: content.text };
    case 'json':
      return {
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(content.document, null, 2),
      };
    case 'kv': {
      const [[key, value] = ['state', null]] = Object.entries(content.entries);
      return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ key, value }) };
    }
    case 'file': {
      const form = new FormData();
      form.set('file', new File([content.bytes], content.filename));
      return { body: form };
    }
    case 'site': {
      const files = Object.entries(content.files).map(([path, text]) => [path, strToU8(text)]);
      return { headers: { 'Content-Type': 'application/zip' }, body: zipSync(Object.fromEntries(files)) };
    }
  }
}
