import type { CallContext } from '../contracts/operation.ts';
import { errors } from '../errors.ts';
import type { ContentOf } from '../items/content.ts';
import type { Admission, ContentCheck } from '../items/content-check.ts';
import type { Kind } from '../items/item.ts';
import type { Finding } from '../items/quarantine.ts';
import { timeToCommit } from '../items/write-in-time.ts';
import { isAway, ScanTooLate } from './examiner.ts';
import type { Scanning } from './scanning.ts';

/** Longest that a create or update waits for its scan, in ms; what takes longer is looked through in the background. */
const SCAN_LIMIT_MS = 4_000;

/** Time that is left for the write itself, in ms. */
const WRITE_MS = 2_000;

const SEEN: Admission = { finding: null, queue: false };

/** Nobody sees it before it is looked through. */
export const UNSCANNED: Finding = { cause: 'unscanned', verdict: '', part: null };

/** Decides about new content by the settings (decision 44). */
export function createContentCheck(scanning: Scanning): ContentCheck {
  const { settings, scanner, links, examiner, counts } = scanning;
  const holds = settings.whenAway === 'hold';
  const later: Admission = { finding: holds ? UNSCANNED : null, queue: true };

  const scan = async (kind: Kind, content: ContentOf[Kind], limitMs: number): Promise<Admission> => {
    try {
      const finding = await examiner.scan(kind, content, limitMs);
      // Unscannable content is treated as if the scanner were away.
      if (finding?.cause === 'unscannable' && !holds) return SEEN;
      return { finding, queue: false };
    } catch (error) {
      if (error instanceof ScanTooLate) return later;
      if (!isAway(error)) throw error;
      if (!holds) return later;
      throw errors.scannerAway(error);
    }
  };

  return {
    async admit(kind, content, context: CallContext) {
      if (kind === 'kv') return SEEN;
      if (links !== null) {
        const link = await examiner.findLink(kind, content);
        if (link !== null) {
          counts.linkRefused();
          throw errors.linkBlocked(link.verdict, link.part);
        }
      }
      if (scanner === null) return SEEN;
      if (settings.mode === 'behind') return later;
      return await scan(kind, content, Math.min(SCAN_LIMIT_MS, timeToCommit(context) - WRITE_MS));
    },
  };
}
