import type { ArchiveCase } from './archives/archive-case.ts';
import { entryCases } from './archives/entry-cases.ts';
import { limitCases } from './archives/limit-cases.ts';
import { pathCases } from './archives/path-cases.ts';
import { structureCases } from './archives/structure-cases.ts';
import { zip64Cases } from './archives/zip64-cases.ts';

export type { ArchiveCase } from './archives/archive-case.ts';
export { mutations } from './archives/mutations.ts';
export { type ValidArchive, validArchives } from './archives/valid-archives.ts';

/** Every archive that no site is made of. */
export const hostileArchives: ArchiveCase[] = [
  ...pathCases,
  ...structureCases,
  ...zip64Cases,
  ...entryCases,
  ...limitCases,
];
