import { blobKeysOf } from '../../shared/items/content.ts';
import type { AnyItem } from '../../shared/items/item-repository.ts';
import type { Finding } from '../../shared/items/quarantine.ts';
import type { Query } from '../../shared/items/sql.ts';
import { asSettled } from '../../shared/scanning/content-check.ts';
import type { Examination } from '../../shared/scanning/examination.ts';
import type { Examiner } from '../../shared/scanning/examiner.ts';
import type { ScanSettings } from '../../shared/scanning/settings.ts';
import * as scans from './repository/scans.ts';

/** The item's content, by which releases are kept. */
export const contentOf = ({ code, content }: AnyItem): { code: string; blobKey: string } => ({
  code,
  blobKey: blobKeysOf(content)[0] ?? '',
});

/** Looks through all of a stored item, its links first. @throws UNAVAILABLE, ScanTooLate */
export async function examineItem(
  examiner: Examiner,
  { kind, content }: AnyItem,
  settings: ScanSettings,
  examination: Examination,
): Promise<Finding | null> {
  const finding =
    (await examiner.findLink(kind, content, examination)) ??
    (await examiner.scan(kind, content, examination));
  return asSettled(finding, settings);
}

/** Findings in an item's content that the operator has released. */
export const releasesOf = (sql: Query, item: AnyItem): Promise<(finding: Finding) => boolean> =>
  scans.findReleases(sql, contentOf(item));
