import type { BlobKeyPool } from '../../../shared/items/blob-key-pool.ts';
import type { MemoryBudget } from '../admission/memory-budget.ts';
import type { ReadDependencies } from '../items/dependencies.ts';

/** Dependencies of reading a body and storing it, beside those of items. */
export interface UploadDependencies extends ReadDependencies {
  /** Memory for bodies that are held whole. */
  budget: MemoryBudget;
  blobKeys: BlobKeyPool;
}
