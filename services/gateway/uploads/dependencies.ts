import type { BlobKeyPool } from '../../../shared/items/blob-key-pool.ts';
import type { MemoryBudget } from '../admission/memory-budget.ts';
import type { ReadDependencies } from '../items/dependencies.ts';

/** What taking a body in and storing it takes, beside what items take. */
export interface UploadDependencies extends ReadDependencies {
  /** Memory for bodies that are held whole. */
  budget: MemoryBudget;
  blobKeys: BlobKeyPool;
}
