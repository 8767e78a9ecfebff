import { setImmediate as otherWork } from 'node:timers/promises';
import { within } from '../deadline.ts';
import { createFairSemaphore } from '../fair-semaphore.ts';
import type { Finding } from '../items/quarantine.ts';
import type { ContentPart } from './content-parts.ts';
import { type Examination, ScanTooLate, timeFor } from './examination.ts';
import type { LinkBlocklist } from './link-blocklist.ts';
import { linkedHosts } from './linked-hosts.ts';
import { pageTexts } from './page-text.ts';

/** Finds the first link of a page to a host of a list. @throws ScanTooLate; UNAVAILABLE when the page cannot be read */
export type FindPageLink = (part: ContentPart, examination: Examination) => Promise<Finding | null>;

/** Pages that wait for their turn at the most. */
const MOST_WAITING = 100;

/**
 * Pages are looked at one after the other, clients taking turns, and all other work of the process goes on in between: however
 * much there is to look at, it costs no more than one page of memory.
 */
export function createPageLinks(links: LinkBlocklist): FindPageLink {
  const turns = createFairSemaphore(1, MOST_WAITING);
  return async (part, examination) => {
    const giveBack = await turns.acquire(examination.client ?? '', timeFor(examination));
    if (giveBack === null) throw new ScanTooLate();
    try {
      const left = timeFor(examination);
      const bytes = await within(bytesOf(part, examination), left, () => new ScanTooLate());
      for (const text of pageTexts(bytes, part.contentType)) {
        const finding = await findIn(text, links, part.path, examination);
        if (finding !== null) return finding;
      }
      return null;
    } finally {
      giveBack();
    }
  };
}

async function findIn(
  text: string,
  links: LinkBlocklist,
  part: string | null,
  examination: Examination,
): Promise<Finding | null> {
  for (const host of linkedHosts(text)) {
    if (host === null) {
      timeFor(examination);
      await otherWork();
    } else if (links.match(host) !== null) {
      const finding: Finding = { cause: 'link', verdict: host, part };
      if (examination.isReleased?.(finding) !== true) return finding;
    }
  }
  await otherWork();
  return null;
}

/** The bytes of a page. Whoever is late reads no more of it. */
async function bytesOf(part: ContentPart, examination: Examination): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of part.read()) {
    timeFor(examination);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}
