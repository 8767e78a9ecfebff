import { storeKey } from '../../../../../shared/items/item.ts';
import type { Write } from './put.ts';

/**
 * Divides puts that leave together into messages. Values of one key are written one after another, and a message is answered
 * when all in it are done: several of one key have a message of their own, so that no other put waits for them.
 */
export function inMessages<P extends { write: Pick<Write, 'namespace' | 'id' | 'key'> }>(puts: P[]): P[][] {
  const keys = [...Map.groupBy(puts, ({ write }) => storeKey(write)).values()];
  const single = keys.filter(({ length }) => length === 1).flat();
  const several = keys.filter(({ length }) => length > 1);
  return single.length === 0 ? several : [single, ...several];
}
