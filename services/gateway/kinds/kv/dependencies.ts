import type { UploadDependencies } from '../../uploads/dependencies.ts';
import type { StoreEntries } from './entries.ts';

/** Dependencies of key-value stores, beside those of every upload. */
export interface StoreDependencies extends UploadDependencies {
  /** One for the process: only reads through the same one share calls. */
  storeEntries: StoreEntries;
}
