import type { BlobKeyPool } from '../../shared/items/blob-key-pool.ts';
import type { ItemDependencies } from '../../shared/items/item-dependencies.ts';
import type { Outbox } from '../../shared/notifications/outbox.ts';
import type { BlobStore } from '../../shared/ports/blob-store.ts';
import type { Renderer } from './render/renderer.ts';

/** Dependencies of the operations of this service. */
export interface ContentDependencies extends ItemDependencies {
  blobs: BlobStore;
  renderer: Renderer;
  /** Messages to the operator. */
  outbox: Outbox;
  /** Keys for blobs that this service writes itself: rendered views. */
  blobKeys: BlobKeyPool;
}
