import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createDiskBlobStore } from '../../../shared/adapters/blob/disk/store.ts';
import { createClamdScanner } from '../../../shared/adapters/scanner/clamd.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { newBlobKey } from '../../../shared/ids.ts';
import type { SiteContent } from '../../../shared/items/content.ts';
import type { Finding } from '../../../shared/items/quarantine.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import { ScanTooLate } from '../../../shared/scanning/examination.ts';
import { createExaminer, type Examiner } from '../../../shared/scanning/examiner.ts';
import { createLinkBlocklist } from '../../../shared/scanning/link-blocklist.ts';
import { createScanCounts } from '../../../shared/scanning/scan-metrics.ts';
import { type ClamdStandIn, startClamdStandIn } from './clamd-stand-in.ts';

const log = pino({ level: 'silent' });

let folder: string;
let blobs: BlobStore;
let clamd: ClamdStandIn;
let examiner: Examiner;

/** Reads of files of sites so far, and how many were under way at once at the most. */
const reads = { begun: 0, underWay: 0, most: 0 };

/** Counts reads until they are at their end or given up. */
const counted = (store: BlobStore): BlobStore => ({
  ...store,
  async open(key, range) {
    const blob = await store.open(key, range);
    // A site's index is read whole.
    if (blob === null || range === undefined) return blob;
    const source = blob.body.getReader();
    reads.begun += 1;
    reads.underWay += 1;
    reads.most = Math.max(reads.most, reads.underWay);
    let isOver = false;
    // A read that is given up may be at its end at the same moment.
    const end = (): void => {
      if (!isOver) reads.underWay -= 1;
      isOver = true;
    };
    const body = new ReadableStream<Uint8Array>({
      async pull(out) {
        const { done, value } = await source.read();
        if (!done) return out.enqueue(value);
        end();
        out.close();
      },
      async cancel(reason) {
        end();
        await source.cancel(reason);
      },
    });
    return { ...blob, body };
  },
});

/** Finds the word behind `virus:`, and takes no `huge` content. */
const verdictOf = (content: string): string => {
  const name = /virus:(\w+)/.exec(content)?.[1];
  if (name !== undefined) return `stream: ${name} FOUND`;
  return content.includes('huge') ? 'INSTREAM size limit exceeded. ERROR' : 'stream: OK';
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-examiner-'));
  blobs = counted(await createDiskBlobStore({ dir: join(folder, 'content'), log }));
  clamd = startClamdStandIn(verdictOf);
  const list = join(folder, 'hosts.txt');
  await writeFile(list, 'evil.example\nworse.example\n');
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: 1_000_000 });
  const links = createLinkBlocklist(list, pino({ level: 'silent' }));
  examiner = createExaminer(blobs, scanner, links, createScanCounts());
});

afterAll(async () => {
  clamd[Symbol.dispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Stores a site of some files; the type of each follows from its name. */
async function storeSite(files: Record<string, string | Uint8Array>): Promise<SiteContent> {
  const [blobKey, indexKey] = [newBlobKey(), newBlobKey()];
  const contents = Object.entries(files).map(([path, file]) => ({ path, bytes: Buffer.from(file) }));
  let offset = 0;
  const index = contents.map(({ path, bytes }) => {
    const at = offset;
    offset += bytes.length;
    const contentType = path.endsWith('.html') ? 'text/html' : 'text/plain';
    return { path, offset: at, length: bytes.length, contentType, etag: path };
  });
  await blobs.put(blobKey, Buffer.concat(contents.map(({ bytes }) => bytes)));
  await blobs.put(indexKey, Buffer.from(JSON.stringify({ files: index })));
  return { entryFile: 'index.html', fileCount: contents.length, blobKey, indexKey };
}

const soon = () => steadyNow() + 20_000;

/** All findings, one after the other: each is released. */
async function findingsOf(
  find: (isReleased: (finding: Finding) => boolean) => Promise<Finding | null>,
): Promise<Finding[]> {
  const released: Finding[] = [];
  for (;;) {
    const finding = await find((found) =>
      released.some((one) => one.verdict === found.verdict && one.part === found.part),
    );
    if (finding === null) return released;
    // A release that is not heeded would go on for ever.
    expect(released).not.toContainEqual(finding);
    released.push(finding);
  }
}

test('a released finding is passed over, and each of the others is found, in other files and of other names', async () => {
  const site = await storeSite({
    'a.txt': 'virus:Harmless',
    'b.txt': 'clean',
    'c.doc': 'virus:Trojan',
    'd.txt': 'virus:Harmless',
    'e.bin': 'huge',
    'index.html': '<p>front',
  });
  const found = await findingsOf((isReleased) => examiner.scan('site', site, { until: soon(), isReleased }));
  expect(found.map(({ cause, verdict, part }) => `${cause} ${verdict} ${part}`).toSorted()).toEqual([
    'malware Harmless a.txt',
    'malware Harmless d.txt',
    'malware Trojan c.doc',
    expect.stringMatching(/^unscannable larger than .* e\.bin$/) as unknown as string,
  ]);
  expect(found.at(-1)?.cause).toBe('unscannable');
});

test('a released link is passed over, and each other link of the list is found, in the same page and in others', async () => {
  const site = await storeSite({
    'index.html': '<a href="https://evil.example/"><a href="https://worse.example/">',
    'next.html': '<a href="https://evil.example/">',
  });
  const found = await findingsOf((isReleased) =>
    examiner.findLink('site', site, { until: soon(), isReleased }),
  );
  expect(found).toEqual([
    { cause: 'link', verdict: 'evil.example', part: 'index.html' },
    { cause: 'link', verdict: 'worse.example', part: 'index.html' },
    { cause: 'link', verdict: 'evil.example', part: 'next.html' },
  ]);
});

const pages = (count: number, text: string): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}.html`, text]));

test('links are looked for until the deadline, page by page, and no further', async () => {
  const site = await storeSite(pages(50, '<a href="https://ok.example/">'));
  reads.begun = 0;
  const late = examiner.findLink('site', site, { until: steadyNow() });
  await expect(late).rejects.toBeInstanceOf(ScanTooLate);
  expect(reads.begun).toBe(0);
  // While one is looked at that takes all the time there is, another waits for its turn in vain.
  const dense = await storeSite(pages(200, '<a href=//a.b>'.repeat(5_000)));
  const until = steadyNow() + 100;
  const both = await Promise.allSettled([dense, site].map((of) => examiner.findLink('site', of, { until })));
  expect(both[0]).toMatchObject({ status: 'rejected', reason: expect.any(ScanTooLate) });
  expect(reads.begun).toBeLessThan(200);
  expect(await examiner.findLink('site', site, { until: soon() })).toBeNull();
});

test('of several contents at once one page is read at a time, and other work goes on meanwhile', async () => {
  const text = '<a href=//a.b>'.repeat(2_000);
  const sites = await Promise.all([1, 2, 3].map(() => storeSite(pages(10, text))));
  reads.most = 0;
  let turns = 0;
  const other = setInterval(() => {
    turns += 1;
  }, 1);
  const links = sites.map((site) => examiner.findLink('site', site, { until: soon() }));
  expect(await Promise.all(links)).toEqual([null, null, null]);
  clearInterval(other);
  expect(reads.most).toBe(1);
  expect(turns).toBeGreaterThan(10);
});
