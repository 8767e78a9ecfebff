import type { ItemRef } from '../../../shared/items/item.ts';

/** Where the picture of an item for link previews is (specification 19.4). */
export const previewUrl = (baseUrl: string, { namespace, id }: ItemRef): string =>
  `${baseUrl}/preview/${namespace}/${id}.png`;
