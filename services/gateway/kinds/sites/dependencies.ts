import type { FairBudget } from '../../admission/fair-budget.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import type { SiteIndexes } from './indexes.ts';
import type { Spool } from './spool.ts';

/** Dependencies of sites, beside those of every upload: an archive is spooled to the disk. */
export interface SiteDependencies extends UploadDependencies {
  indexes: SiteIndexes;
  spool: Spool;
  /** Room for uploads on the disk, in bytes. */
  diskBudget: FairBudget;
}
