import { steadyNow } from '../deadline.ts';
import type { ContentOf } from '../items/content.ts';
import type { Kind } from '../items/item.ts';
import type { Finding } from '../items/quarantine.ts';
import { PerchError } from '../perch-error.ts';
import type { BlobStore } from '../ports/blob-store.ts';
import type { Scanner } from '../ports/scanner.ts';
import { type ContentPart, contentParts, pageParts } from './content-parts.ts';
import { type Examination, ScanTooLate, timeFor } from './examination.ts';
import type { LinkBlocklist } from './link-blocklist.ts';
import { createPageLinks } from './page-links.ts';
import type { ScanCounts } from './scan-metrics.ts';

/** Looks through stored content. */
export interface Examiner {
  /** The first link of its pages to a host of the blocklist. @throws ScanTooLate; UNAVAILABLE when it cannot be read */
  findLink(kind: Kind, content: ContentOf[Kind], examination: Examination): Promise<Finding | null>;
  /**
   * Looks through all parts with the scanner; malware in one of them counts more than another that is unscannable.
   * @throws UNAVAILABLE when the scanner is away; ScanTooLate when it works, but not fast enough
   */
  scan(kind: Kind, content: ContentOf[Kind], examination: Examination): Promise<Finding | null>;
}

/** Parts of one item at once: a site of a thousand files leaves places to others. */
const PARTS_AT_ONCE = 2;

export function createExaminer(
  blobs: BlobStore,
  scanner: Scanner | null,
  links: LinkBlocklist | null,
  counts: ScanCounts,
): Examiner {
  const pageLinks = links === null ? null : { find: createPageLinks(links), refresh: links.refresh };
  const scanPart = async (
    client: Scanner,
    part: ContentPart,
    examination: Examination,
  ): Promise<Finding | null> => {
    const left = timeFor(examination);
    const startedAt = steadyNow();
    try {
      const verdict = await client.scan(part.read(), left, examination.client);
      counts.scanned(verdict.result, steadyNow() - startedAt);
      if (verdict.result === 'clean') return null;
      return verdict.result === 'found'
        ? { cause: 'malware', verdict: verdict.signature, part: part.path }
        : { cause: 'unscannable', verdict: verdict.reason, part: part.path };
    } catch (error) {
      const isLate = steadyNow() >= examination.until && (await answers(client));
      counts.scanned(isLate ? 'late' : 'away', steadyNow() - startedAt);
      throw isLate ? new ScanTooLate() : error;
    }
  };

  return {
    async findLink(kind, content, examination) {
      if (pageLinks === null || !mayHavePages(kind, content)) return null;
      timeFor(examination);
      await pageLinks.refresh();
      for (const part of await pageParts(blobs, kind, content)) {
        const finding = await pageLinks.find(part, examination);
        if (finding !== null) return finding;
      }
      return null;
    },
    async scan(kind, content, examination) {
      if (scanner === null) return null;
      const { isReleased = nothing } = examination;
      const parts = (await contentParts(blobs, kind, content)).values();
      let worst: Finding | null = null;
      const work = async (): Promise<void> => {
        for (const part of parts) {
          const finding = await scanPart(scanner, part, examination);
          if (finding !== null && !isReleased(finding)) worst = graver(worst, finding);
          if (worst?.cause === 'malware') return;
        }
      };
      const lanes = await Promise.allSettled(Array.from({ length: PARTS_AT_ONCE }, work));
      const found = worst as Finding | null;
      if (found?.cause === 'malware') return found;
      const failed = lanes.find((lane) => lane.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
      return found;
    },
  };
}

const nothing = (): boolean => false;

/** Malware counts more than what cannot be looked through; else the first one that was found. */
const graver = (known: Finding | null, found: Finding): Finding =>
  found.cause === 'malware' && known?.cause !== 'malware' ? found : (known ?? found);

const mayHavePages = (kind: Kind, content: ContentOf[Kind]): boolean =>
  kind === 'html' ||
  kind === 'site' ||
  (kind === 'file' && 'family' in content && content.family !== 'video');

const answers = async (scanner: Scanner): Promise<boolean> =>
  await scanner.check().then(
    () => true,
    () => false,
  );

/** Whether a scan failed as the scanner, or the store of what it reads, is away. */
export const isAway = (error: unknown): boolean =>
  error instanceof PerchError && (error.code === 'UNAVAILABLE' || error.code === 'TIMEOUT');
