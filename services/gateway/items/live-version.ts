import { etagOf } from '../../../shared/items/etag.ts';
import type { ItemRecordOf } from '../../../shared/items/item-record.ts';

/**
 * Names a version of an item as its readers see it: the id of its events, which the page's top bar compares with its own. A
 * renewal does not change it.
 */
export const liveVersion = ({ updatedAt, content }: ItemRecordOf<'html' | 'file'>): string =>
  `${updatedAt.toString(36)}-${etagOf(content).slice(0, 12)}`;
