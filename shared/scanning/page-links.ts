import { setImmediate as otherWork } from 'node:timers/promises';
import { within } from '../deadline.ts';
import { createFairSemaphore } from '../fair-queue.ts';
import type { Finding } from '../items/quarantine.ts';
import type { ContentPart } from './content-parts.ts';
import { type Examination, ScanTooLate, timeFor } from './examination.ts';
import type { LinkBlocklist } from './link-blocklist.ts';
import { linkedHosts } from './linked-hosts.ts';

/** Finds the first link of a page to a host of a list. @throws ScanTooLate; UNAVAILABLE when the page cannot be read */
type FindPageLink = (part: ContentPart, examination: Examination) => Promise<Finding | null>;

/** Pages that wait for their turn at the most. */
const MAX_WAITING = 100;

/**
 * Pages are looked at one after the other, clients taking turns, and all other work of the process goes on in between: however
 * much there is to look at, it costs no more than one page of memory.
 */
export function createPageLinks(links: LinkBlocklist): FindPageLink {
  const permits = createFairSemaphore(1, MAX_WAITING);
  const find: FindPageLink = async (part, examination) => {
    const left = timeFor(examination);
    const bytes = await within(bytesOf(part, examination), left, () => new ScanTooLate());
    for (const text of pageTexts(bytes, part.contentType)) {
      const finding = await findIn(text, links, part.path, examination);
      if (finding !== null) return finding;
    }
    return null;
  };
  return async (part, examination) => {
    const turn = {
      client: examination.client ?? '',
      limitMs: timeFor(examination),
      refuse: () => new ScanTooLate(),
    };
    return await permits.run(turn, () => find(part, examination));
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

/** Reads the bytes of a page, as long as the examination has time. */
async function bytesOf(part: ContentPart, examination: Examination): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of part.read()) {
    timeFor(examination);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

/** Bytes at the start of a page that may tell its charset without naming it. */
const MARK_BYTES = 4;

/** Names of charsets that are taken from a page: to read it in each costs as much as the page. */
const MAX_DECLARED = 8;

/**
 * The texts that a page may be for browsers. A byte order mark decides. Without one they choose by its type, by what it declares
 * itself, or by their own settings, in an order that depends on who opens it how: so it is read in each of these charsets.
 */
export function* pageTexts(bytes: Uint8Array, contentType: string): Generator<string> {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, MARK_BYTES));
  const marked = markOf(start);
  if (marked !== null) return yield decode(bytes, marked);
  const text = decode(bytes, UTF_8);
  yield text;
  const charsets = [charsetOf(contentType), wideXml(start), ...declaredIn(text)];
  // The only charset in which a host of ASCII letters may have other bytes between them.
  if (text.includes('\x1b')) charsets.push('iso-2022-jp');
  // A page that is no UTF-8 and says nothing is one in the charset of most browsers.
  if (text.includes('\ufffd')) charsets.push('windows-1252');
  for (const charset of new Set(charsets))
    if (charset !== null && charset !== UTF_8) yield decode(bytes, charset);
}

const UTF_8 = 'utf-8';

function markOf(start: string): string | null {
  if (start.startsWith('\xef\xbb\xbf')) return UTF_8;
  if (start.startsWith('\xfe\xff')) return 'utf-16be';
  return start.startsWith('\xff\xfe') ? 'utf-16le' : null;
}

const charsetOf = (contentType: string): string | null =>
  /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? null;

/** XML says by its first characters that it is UTF-16. */
function wideXml(start: string): string | null {
  if (start.startsWith('<\0?\0')) return 'utf-16le';
  return start.startsWith('\0<\0?') ? 'utf-16be' : null;
}

const DECLARATION = /(?:charset|<\?xml[^>]{1,200}?encoding)\s*=[\s"']*([\w:.-]+)/gi;

/** Encodings that `<meta>` or an XML declaration names, wherever: behind the start of a page browsers heed a `<meta>`, too. */
function declaredIn(text: string): Set<string> {
  const names = new Set<string>();
  for (const [, name = ''] of text.matchAll(DECLARATION)) {
    // A declaration that can be read so is not in UTF-16.
    if (!/^(?:utf-?16|unicode|ucs-2)/i.test(name)) names.add(name.toLowerCase());
    if (names.size === MAX_DECLARED) break;
  }
  return names;
}

/** An unknown charset is taken for UTF-8, in which every host can be read that is written in ASCII. */
function decode(bytes: Uint8Array, charset: string): string {
  try {
    return new TextDecoder(charset as ConstructorParameters<typeof TextDecoder>[0]).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
