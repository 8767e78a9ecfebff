import type { LiveItemRecord } from '../../../shared/items/item-record.ts';

/**
 * By which rules watchers of an item were let in: which item it is, its password, and whether it is hidden from all but its
 * owner. Hiding is not the end of an item, so whoever follows it asks anew: its owner goes on by the API, others are refused.
 */
export const admissionOf = ({ code, passwordHash, hidden }: LiveItemRecord): string =>
  `${code} ${passwordHash} ${hidden === true}`;
