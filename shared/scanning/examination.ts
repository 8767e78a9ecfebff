import { steadyNow } from '../deadline.ts';
import type { Finding } from '../items/quarantine.ts';

/** How one content is looked through. */
export interface Examination {
  /** When it has to be over, by `steadyNow`. */
  until: number;
  /** On whose behalf, as clients take turns; none: in the background. */
  client?: string | undefined;
  /** Whether the operator has released a finding in this content: it is passed over, and all else is looked through. */
  isReleased?(finding: Finding): boolean;
}

/** Not all of a content could be looked through in time. */
export class ScanTooLate extends Error {}

/** Time that is left for it, in ms. @throws ScanTooLate */
export function timeFor({ until }: Examination): number {
  const left = until - steadyNow();
  if (left <= 0) throw new ScanTooLate();
  return left;
}
