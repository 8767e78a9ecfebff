import type { DatabaseClock } from '../../shared/items/database-clock.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import type { ItemDependencies } from '../../shared/items/item-dependencies.ts';
import type { ChangeWriter } from './change-writer.ts';
import type { ValueWriter } from './value-writer.ts';

/** Dependencies of the operations of this service. */
export interface KvDependencies extends ItemDependencies {
  values: ValueWriter;
  changes: ChangeWriter;
  databaseClock: DatabaseClock;
  /** Tells the gateways that a key has changed, as some may watch it. */
  publishKeyChange(store: ItemRef, key: string): void;
}
