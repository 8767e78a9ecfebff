import type { CallContext } from '../call-context.ts';
import { steadyNow } from '../deadline.ts';
import { errors } from '../errors.ts';
import type { ContentOf } from '../items/content.ts';
import type { Kind } from '../items/item.ts';
import type { Admission, ContentCheck } from '../items/item-dependencies.ts';
import type { Finding } from '../items/quarantine.ts';
import { timeToCommit } from '../items/write-in-time.ts';
import { type Examination, ScanTooLate } from './examination.ts';
import { isAway } from './examiner.ts';
import type { Scanning } from './scanning.ts';
import type { ScanSettings } from './settings.ts';

/** Longest that a create or update waits until it is looked through, in ms; what takes longer is looked through in the background. */
const SCAN_LIMIT_MS = 4_000;

/** Time that is left for the write itself, in ms. */
const WRITE_MS = 2_000;

const SEEN: Admission = { finding: null, queue: false };

/** Nobody sees it before it is looked through. */
const UNSCANNED: Finding = { cause: 'unscanned', verdict: '', part: null };

/** The time by which content is looked through for a request that waits for it, by `steadyNow`. */
export const examineBy = (context: CallContext): number =>
  steadyNow() + Math.min(SCAN_LIMIT_MS, timeToCommit(context) - WRITE_MS);

/** Admission of content that is looked through in the background. */
export const examineLater = ({ whenAway }: ScanSettings): Admission => ({
  finding: whenAway === 'hold' ? UNSCANNED : null,
  queue: true,
});

/** A finding as the settings take it: what cannot be scanned is treated as if the scanner were away. */
export const asSettled = (finding: Finding | null, { whenAway }: ScanSettings): Finding | null =>
  finding?.cause === 'unscannable' && whenAway === 'pass' ? null : finding;

/** Decides about new content by the settings (decision 44). */
export function createContentCheck(scanning: Scanning): ContentCheck {
  const { settings, scanner, links, examiner, counts } = scanning;
  const later = examineLater(settings);

  const refuseLinks = async (
    kind: Kind,
    content: ContentOf[Kind],
    examination: Examination,
  ): Promise<void> => {
    const link = links === null ? null : await examiner.findLink(kind, content, examination);
    if (link === null) return;
    counts.linkRefused();
    throw errors.linkBlocked(link.verdict, link.part);
  };
  const scan = async (kind: Kind, content: ContentOf[Kind], examination: Examination): Promise<Admission> => {
    try {
      const finding = await examiner.scan(kind, content, examination);
      return { finding: asSettled(finding, settings), queue: false };
    } catch (error) {
      if (!isAway(error)) throw error;
      if (settings.whenAway === 'pass') return later;
      throw errors.scannerAway(error);
    }
  };

  return {
    async admit(kind, content, context: CallContext) {
      if (kind === 'kv') return SEEN;
      const examination = { until: examineBy(context), client: context.client };
      try {
        await refuseLinks(kind, content, examination);
        if (scanner === null) return SEEN;
        return settings.mode === 'behind' ? later : await scan(kind, content, examination);
      } catch (error) {
        if (error instanceof ScanTooLate) return later;
        throw error;
      }
    },
  };
}
