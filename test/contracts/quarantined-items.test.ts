import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test';
import { countReporters } from '../../services/analytics/repository/reported-items.ts';
import { insertReport } from '../../services/analytics/repository/reports.ts';
import { createHtml, updateHtml } from '../../services/content/operations/html.ts';
import { hideItem, listPublications } from '../../services/content/operations/publications.ts';
import { releaseItem } from '../../services/content/operations/scans.ts';
import { finishRun, insertRun, listRuns } from '../../services/content/repository/scans.ts';
import { createScanLanes, scanNext } from '../../services/content/sweep/scan-items.ts';
import { carryOnRescan } from '../../services/content/sweep/scan-passes.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { newItemId } from '../../shared/ids.ts';
import { blobKeysOf } from '../../shared/items/content.ts';
import type { ItemRef } from '../../shared/items/item.ts';
import { findItem, findItemsChangedSince } from '../../shared/items/item-repository.ts';
import { queueScan } from '../../shared/items/scan-queue.ts';
import { createContentCheck } from '../../shared/scanning/content-check.ts';
import { ScanTooLate } from '../../shared/scanning/examination.ts';
import type { Scanning } from '../../shared/scanning/scanning.ts';
import type { ScanSettings } from '../../shared/scanning/settings.ts';
import { createScanning } from '../../shared/wiring/scanning.ts';
import { eventually } from '../acceptance/support/concurrency.ts';
import { soon } from '../call-context.ts';
import { startContentOperations } from '../faults/content-operations.ts';
import { useStarted } from '../started.ts';
import { type ClamdStandIn, startClamdStandIn } from './scanner/clamd-stand-in.ts';

const content = useStarted(
  () => startContentOperations(),
  (started) => started.end(),
);

let clamd: ClamdStandIn;
beforeAll(() => {
  clamd = startClamdStandIn();
});
beforeEach(() => {
  clamd.verdict = (text) => {
    const name = /virus:(\w+)/.exec(text)?.[1];
    return name === undefined ? 'stream: OK' : `stream: ${name} FOUND`;
  };
});
afterAll(() => clamd[Symbol.dispose]());

/** With another port the scanner is away. */
function scanningOf(changes: Partial<ScanSettings> = {}): Scanning {
  const settings: ScanSettings = {
    clamdUrl: clamd.url,
    mode: 'behind',
    whenAway: 'hold',
    maxBytes: 1_000_000,
    rescanEveryMs: 0,
    rescanPerSecond: 1,
    linksFile: null,
    ...changes,
  };
  const { blobs, log } = content.deps;
  const scanning = createScanning({ scanning: settings }, blobs, log);
  if (scanning === null) throw new Error('nothing scans');
  return scanning;
}

const ACTING = { clientIp: '192.0.2.9', actor: { clientIp: '192.0.2.9', via: 'api', note: null } } as const;

/** Publishes a page that waits for its scan, and lets it be scanned. */
async function publish(text: string, scanning: Scanning): Promise<ItemRef & { code: string }> {
  const deps = { ...content.deps, check: createContentCheck(scanning) };
  const { item } = await createHtml(deps, await content.createInput(text), soon());
  await scanNext(content.deps, scanning);
  return item;
}

async function put({ namespace, id }: ItemRef, text: string, scanning: Scanning): Promise<void> {
  const deps = { ...content.deps, check: createContentCheck(scanning) };
  const blob = await content.store(text);
  const input = { namespace, id, ownerHash: 'owner', blob, title: null, suggestedTitle: null };
  await updateHtml(deps, input, soon());
}

async function seenOf({ namespace, id }: ItemRef): Promise<string | undefined> {
  const filter = { kind: null, namespace, id, state: null };
  const { publications } = await listPublications(content.deps, { filter, offset: 0, limit: 1 });
  return publications[0]?.findingId ?? undefined;
}

const release = ({ namespace, id }: ItemRef, scanning: Scanning | null, findingId?: string) =>
  releaseItem(
    content.deps,
    scanning,
    { namespace, id, ...(findingId === undefined ? {} : { findingId }), ...ACTING },
    soon(),
  );

const isQueued = async ({ code }: { code: string }): Promise<boolean> =>
  (await content.deps.sql`select 1 from scan_queue where code = ${code}`).length > 0;

/** When its next try is due. */
async function dueAtOf({ code }: { code: string }): Promise<number> {
  const [row] = await content.deps.sql<Array<{ dueAt: number }>>`
    select due_at from scan_queue where code = ${code}`;
  return row?.dueAt ?? 0;
}

const releases = async ({ code }: { code: string }): Promise<number> =>
  (await content.deps.sql`select 1 from scan_releases where code = ${code}`).length;

let reports = 0;
/** Reports an item from another network each time. Returns how many networks count then. */
async function report({ namespace, id }: ItemRef): Promise<number> {
  const { sql } = content.deps;
  reports += 1;
  const told = {
    reportId: newItemId(),
    reportedUrl: `http://localhost/${namespace}/${id}`,
    category: 'spam' as const,
    description: 'It advertises things.',
    reporterEmail: null,
    namespace,
    id,
    reporterIp: `198.51.${reports}.1`,
    reporterUserAgent: 'MyAgent/1.0',
  };
  await insertReport(sql, told, content.time.now);
  return await countReporters(sql, { namespace, id });
}

test('a scan leaves the count of reporters as it is and is told to caches; the operator begins it anew', async () => {
  const { deps, time } = content;
  const scanning = scanningOf();
  const page = await publish('<p>an advertisement', scanning);
  for (const expected of [1, 2, 3]) {
    time.now += 60_000;
    const before = time.now;
    await put(page, `<p>an advertisement, edition ${expected}`, scanning);
    expect((await findItem(deps.sql, page))?.quarantine?.cause).toBe('unscanned');
    time.now += 1_000;
    await scanNext(deps, scanning);
    expect((await findItem(deps.sql, page))?.quarantine).toBeNull();
    const changed = await findItemsChangedSince(deps.sql, before + 500, { namespace: '', id: '' }, 100);
    expect(changed.map(({ id }) => id)).toContain(page.id);
    time.now += 1_000;
    expect(await report(page)).toBe(expected);
  }
  time.now += 1_000;
  await hideItem(deps, { ...pick(page), hidden: true, ...ACTING }, soon());
  await hideItem(deps, { ...pick(page), hidden: false, ...ACTING }, soon());
  time.now += 1_000;
  expect(await report(page)).toBe(1);
});

const pick = ({ namespace, id }: ItemRef): ItemRef => ({ namespace, id });

test('a release without a scanner that answers leaves the item unscanned and in the queue', async () => {
  const scanning = scanningOf();
  const page = await publish('<p>virus:One', scanning);
  expect(await isQueued(page)).toBe(false);
  const away = scanningOf({ clamdUrl: 'tcp://127.0.0.1:1' });
  expect(await release(page, away, await seenOf(page))).toMatchObject({ quarantine: { cause: 'unscanned' } });
  expect(await isQueued(page)).toBe(true);
  await scanNext(content.deps, scanning);
  expect((await findItem(content.deps.sql, page))?.quarantine).toBeNull();
  expect(await isQueued(page)).toBe(false);
});

test('who releases what waits for its scan shows it, and it is scanned all the same', async () => {
  const scanning = scanningOf();
  const deps = { ...content.deps, check: createContentCheck(scanning) };
  const { item: page } = await createHtml(deps, await content.createInput('<p>virus:Two'), soon());
  expect(await release(page, scanning, await seenOf(page))).not.toHaveProperty('quarantine');
  expect((await findItem(deps.sql, page))?.hidden).toBe(false);
  await scanNext(deps, scanning);
  expect((await findItem(deps.sql, page))?.quarantine).toMatchObject({ cause: 'malware', verdict: 'Two' });
});

test('of a release and an update at once nothing is released that the operator has not seen', async () => {
  const scanning = scanningOf();
  const page = await publish('<p>virus:Harmless', scanning);
  const seen = await seenOf(page);
  clamd.verdict = null;
  const [released] = await Promise.allSettled([
    release(page, scanning, seen),
    // While the release waits for the scanner.
    put(page, '<p>virus:Harmless with more', scanning).then(() => {
      clamd.verdict = 'stream: OK';
      clamd.answerAll('stream: OK');
    }),
  ]);
  expect(released).toMatchObject({ status: 'rejected', reason: { code: 'FINDING_CHANGED' } });
  expect(await releases(page)).toBe(0);
  expect((await findItem(content.deps.sql, page))?.quarantine?.cause).toBe('unscanned');
  await expect(release(page, scanning, seen)).rejects.toMatchObject({ code: 'FINDING_CHANGED' });
  await scanNext(content.deps, scanning);
  expect(await isQueued(page)).toBe(false);
});

test.each(['stream: OK', 'stream: Old FOUND', "stream: Can't open file ERROR"])(
  'a scan that ends with %s leaves content that has come meanwhile for a scan of its own',
  async (answer) => {
    const { deps, time } = content;
    const scanning = scanningOf();
    const page = await publish('<p>old', scanning);
    const run = await insertRun(deps.sql, { startedBy: 'operator', scanner: '', now: time.now });
    const runId = run?.runId ?? failed();
    await finishRun(deps.sql, runId, time.now);
    // At its last try: a rescan goes on without an item that the scanner refuses then.
    await deps.sql`insert into scan_queue (code, run_id, due_at, tries) values (${page.code}, ${runId}, ${time.now}, 4)`;
    const usual = clamd.verdict;
    clamd.verdict = null;
    const underWay = scanNext(deps, scanning);
    await eventually(() => clamd.waiting === 1);
    await put(page, '<p>virus:New', scanning);
    clamd.answerAll(answer);
    await underWay;
    expect((await findItem(deps.sql, page))?.quarantine?.cause).toBe('unscanned');
    clamd.verdict = usual;
    expect(await scanNext(deps, scanning)).toMatchObject({ done: 1 });
    expect((await findItem(deps.sql, page))?.quarantine).toMatchObject({ cause: 'malware', verdict: 'New' });
    expect(await isQueued(page)).toBe(false);
  },
);

test('a finding that the operator releases while a scan meets it again does not hide the item again', async () => {
  const { deps, time } = content;
  const scanning = scanningOf();
  const page = await publish('<p>virus:Harmless', scanning);
  const usual = clamd.verdict;
  clamd.verdict = null;
  await queueScan(deps.sql, { code: page.code, client: undefined }, time.now);
  const underWay = scanNext(deps, scanning);
  await eventually(() => clamd.waiting === 1);
  await release(page, null, await seenOf(page));
  clamd.answerAll('stream: Harmless FOUND');
  await underWay;
  expect((await findItem(deps.sql, page))?.quarantine).toBeNull();
  // The rest of the content was not looked through.
  expect(await isQueued(page)).toBe(true);
  clamd.verdict = usual;
  await scanNext(deps, scanning);
  expect((await findItem(deps.sql, page))?.quarantine).toBeNull();
  expect(await isQueued(page)).toBe(false);
});

test('an item whose scan is too late comes again after a growing pause, and others have their turn', async () => {
  const { deps, time } = content;
  const scanning = scanningOf();
  const late: Scanning = {
    ...scanning,
    background: { findLink: async () => null, scan: () => Promise.reject(new ScanTooLate()) },
  };
  const page = await publish('<p>large', late);
  const pauses: number[] = [];
  for (let tries = 1; tries <= 5; tries++) {
    const dueAt = await dueAtOf(page);
    pauses.push(dueAt - time.now);
    expect((await scanNext(deps, late)).done).toBe(0);
    time.now = dueAt;
    await scanNext(deps, late);
  }
  expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 480_000]);
  expect(await isQueued(page)).toBe(false);
  expect((await findItem(deps.sql, page))?.quarantine).toMatchObject({ cause: 'unscannable' });
});

test('malware stays malware when a later scan can look at nothing, or finds nothing', async () => {
  const { deps, time } = content;
  const scanning = scanningOf();
  const page = await publish('<p>virus:Three', scanning);
  for (const answer of ['INSTREAM size limit exceeded. ERROR', 'stream: OK']) {
    await queueScan(deps.sql, { code: page.code, client: undefined }, time.now);
    clamd.verdict = answer;
    await scanNext(deps, scanning);
    expect(await isQueued(page)).toBe(false);
    expect((await findItem(deps.sql, page))?.quarantine).toMatchObject({
      cause: 'malware',
      verdict: 'Three',
    });
  }
  const unscannable = await publish('<p>large', { ...scanning, ...TOO_LARGE });
  expect((await findItem(deps.sql, unscannable))?.quarantine?.cause).toBe('unscannable');
  await queueScan(deps.sql, { code: unscannable.code, client: undefined }, time.now);
  clamd.verdict = (text) => (text.includes('large') ? 'stream: Large FOUND' : 'stream: OK');
  await scanNext(deps, scanning);
  expect((await findItem(deps.sql, unscannable))?.quarantine?.cause).toBe('malware');
});

const TOO_LARGE = {
  background: {
    findLink: async () => null,
    scan: async () => ({ cause: 'unscannable', verdict: 'too large', part: null }) as const,
  },
};

test('a rescan ends though an item has lost its content and the scanner refuses another, which stay as they were', async () => {
  const { deps, time } = content;
  const scanning = scanningOf();
  const [lost, refused, harmless] = [
    await publish('<p>lost', scanning),
    await publish('<p>refused', scanning),
    await publish('<p>harmless', scanning),
  ];
  const blobKey = blobKeysOf((await findItem(deps.sql, lost))?.content ?? failed())[0] ?? '';
  await deps.blobs.remove([blobKey]);
  clamd.verdict = (text) => (text.includes('refused') ? "stream: Can't open file ERROR" : 'stream: OK');
  const run = await insertRun(deps.sql, { startedBy: 'operator', scanner: '', now: time.now });
  time.now += 10_000;
  for (let round = 0; round < 100 && (await listRuns(deps.sql, 1))[0]?.finishedAt === null; round++) {
    await carryOnRescan(deps, scanning);
    time.now += 10_000;
    while ((await scanNext(deps, scanning)).more);
  }
  const [ended] = await listRuns(deps.sql, 1);
  expect(ended).toMatchObject({ runId: run?.runId, finishedAt: expect.any(Number) });
  expect(ended?.scanned).toBe(ended?.queued ?? 0);
  for (const page of [lost, refused, harmless]) {
    expect(await isQueued(page)).toBe(false);
    expect((await findItem(deps.sql, page))?.quarantine).toBeNull();
  }
});

test('new content that the scanner refuses waits on, out of sight, with growing pauses', async () => {
  const { deps, time } = content;
  const scanning = scanningOf();
  clamd.verdict = "stream: Can't open file ERROR";
  const page = await publish('<p>refused', scanning);
  const pauses: number[] = [];
  for (let tries = 1; tries <= 7; tries++) {
    const dueAt = await dueAtOf(page);
    pauses.push(dueAt - time.now);
    time.now = dueAt;
    await scanNext(deps, scanning);
  }
  expect(pauses).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 480_000, 480_000]);
  expect((await findItem(deps.sql, page))?.quarantine?.cause).toBe('unscanned');
  clamd.verdict = 'stream: OK';
  time.now += 480_000;
  await scanNext(deps, scanning);
  expect((await findItem(deps.sql, page))?.quarantine).toBeNull();
});

function failed(): never {
  throw new Error('there is no such item');
}

test('an item that takes long holds up neither others nor, as long as there are any, other clients', async () => {
  const { deps, time } = content;
  const scanning = scanningOf();
  const pages = [];
  for (let n = 0; n < 8; n++) pages.push(await publish(`<p>page ${n}`, scanning));
  const [large, largeToo, ...small] = pages;
  if (large === undefined || largeToo === undefined) throw new Error('there are no pages');
  for (const { code } of [large, largeToo]) await queueScan(deps.sql, { code, client: 'a' }, time.now);
  const slow = Promise.withResolvers<null>();
  const background = {
    findLink: async () => null,
    scan: (_kind: unknown, _content: unknown, { client }: { client?: string | undefined }) =>
      client === 'a' ? slow.promise : Promise.resolve(null),
  };
  const [first, second] = createScanLanes(deps, { ...scanning, background }).lanes;
  const underWay = first?.();
  await eventually(async () => {
    const [row] = await deps.sql<
      Array<{ tries: number }>
    >`select tries from scan_queue where code = ${large.code}`;
    return row?.tries === 1;
  });
  for (const { code } of small) await queueScan(deps.sql, { code, client: 'b' }, time.now);
  for (const _ of small) await second?.();
  expect(await Promise.all(small.map(isQueued))).toEqual(small.map(() => false));
  expect(await Promise.all([large, largeToo].map(isQueued))).toEqual([true, true]);
  slow.resolve(null);
  await Promise.all([underWay, second?.()]);
  expect(await Promise.all(pages.map(isQueued))).toEqual(pages.map(() => false));
});

test('stops during a long scan are no tries of it', async () => {
  const { deps, time } = content;
  const page = await publish('<p>harmless', scanningOf());
  await queueScan(deps.sql, { code: page.code, client: 'a' }, time.now);
  clamd.verdict = null;
  const underWay: Array<Promise<unknown> | undefined> = [];
  for (let stops = 1; stops <= 7; stops++) {
    const { lanes, giveBack } = createScanLanes(deps, scanningOf());
    underWay.push(lanes[0]?.());
    await eventually(async () => clamd.waiting === stops);
    await giveBack();
    await giveBack();
    const [row] = await deps.sql<Array<{ tries: number; dueAt: number }>>`
      select tries, due_at from scan_queue where code = ${page.code}`;
    expect(row?.tries).toBe(0);
    expect(row?.dueAt).toBeGreaterThan(time.now);
    // By then the process has been killed, and its lease is over.
    time.now += 60_000;
  }
  clamd.answerAll('stream: OK');
  await Promise.all(underWay);
  expect(await isQueued(page)).toBe(false);
  expect((await findItem(deps.sql, page))?.quarantine).toBeNull();
});

test('requests have places at the scanner that the background does not take', async () => {
  const scanning = scanningOf();
  clamd.verdict = null;
  const { blob } = await content.createInput('<p>waits');
  const page = { filename: 'a.txt', contentType: 'text/plain', family: 'text', viewKey: null } as const;
  const file = { ...page, sha256: blob.sha256, blobKey: blob.key };
  const until = steadyNow() + 20_000;
  const waiting = Array.from({ length: 6 }, () => scanning.background.scan('file', file, { until }));
  await eventually(async () => clamd.waiting === 2);
  clamd.verdict = 'stream: OK';
  expect(await scanning.examiner.scan('file', file, { until })).toBeNull();
  expect(clamd.waiting).toBe(2);
  clamd.answerAll('stream: OK');
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => null));
});

test('an item in quarantine that the operator hides and shows again stays hidden', async () => {
  const { deps } = content;
  const { item } = await createHtml(deps, await content.createInput('<p>caught'), soon());
  const address = { namespace: item.namespace, id: item.id };
  const quarantine = {
    cause: 'malware',
    verdict: 'Eicar',
    part: null,
    since: content.deps.clock.now(),
    hidden: false,
  };
  await deps.sql`
    update items set hidden = true, quarantine = ${deps.sql.json(quarantine)}
    where namespace = ${address.namespace} and id = ${address.id}`;
  const actor = { clientIp: '192.0.2.9', via: 'api', note: null } as const;
  for (const hidden of [true, false]) {
    await hideItem(deps, { ...address, hidden, clientIp: '192.0.2.9', actor }, soon());
    expect(await findItem(deps.sql, address)).toMatchObject({ hidden: true, quarantine: { hidden } });
  }
});
