import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import pino from 'pino';
import { createFairBudget, type FairBudget } from '../../../services/gateway/admission/fair-budget.ts';
import { SMALL_BODY_BYTES } from '../../../services/gateway/admission/memory-budget.ts';
import { readMultipart, roomOfText } from '../../../services/gateway/http/multipart.ts';
import type { RequestContext } from '../../../services/gateway/http/request-context.ts';
import type { SiteDependencies } from '../../../services/gateway/kinds/sites/dependencies.ts';
import { createSpool, type Spool } from '../../../services/gateway/kinds/sites/spool.ts';
import { spoolSiteUpload } from '../../../services/gateway/kinds/sites/spool-upload.ts';
import { errors } from '../../../shared/errors.ts';
import { contextWith, END, field, file, formOf, OPTIONS, part, utf8 } from './request-context.ts';

const refuse = () => errors.refused('no room');

/** Room of which a client that is alone, and has half, gets so many bytes. */
const roomFor = (bytes: number): FairBudget => createFairBudget({ total: 2 * bytes, refuse, waitMs: 20 });

/** Bytes that a client that is alone could take now. */
function leftIn(budget: FairBudget): number {
  const holding = budget.open('198.51.100.1');
  let left = 0;
  for (let step = 2 ** 24; step >= 1; step /= 2) if (holding.tryTake(step)) left += step;
  holding.release();
  return left;
}

const outcomeOf = (reading: Promise<unknown>): Promise<string> =>
  reading.then(
    () => 'taken',
    (error: { code?: string }) => error.code ?? String(error),
  );

const EDGE: Array<[more: number, outcome: string]> = [
  [-1, 'UNAVAILABLE'],
  [0, 'taken'],
  [1, 'taken'],
];

describe.each(EDGE)('room for the text of a form and %d bytes', (more, outcome) => {
  test('of text fields: their names and values', async () => {
    const fields = [field('a', 'x'.repeat(10_000)), field('name', ''), field('paths', utf8('パス'))];
    const needed = [1, 10_000, 4, 5, utf8('パス').length].reduce(
      (sum, length) => sum + roomOfText(length),
      0,
    );
    const room = roomFor(needed + more).open('203.0.113.1');
    const options = { ...OPTIONS, takeRoom: room.take };
    const { context } = formOf([...fields, END]);
    expect(await outcomeOf(readMultipart(context, options, async () => undefined))).toBe(outcome);
  });

  test('of a file is what is kept of it by whoever reads it', async () => {
    const room = roomFor(roomOfText(1) + roomOfText(2) + more).open('203.0.113.1');
    const { context } = formOf([file('filename="long"', 'x'.repeat(10_000)), field('a', 'xy'), END]);
    const options = { ...OPTIONS, takeRoom: room.take };
    expect(await outcomeOf(readMultipart(context, options, async () => undefined))).toBe(outcome);
  });
});

describe('the form of a site', () => {
  let dir: string;
  let spool: Spool;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'perch-form-room-'));
    spool = await createSpool({ dir, log: pino({ level: 'silent' }) });
  });
  afterAll(async () => {
    await spool.close();
    await rm(dir, { recursive: true, force: true });
  });

  const dependencies = (small: FairBudget, large: FairBudget): SiteDependencies =>
    ({
      spool,
      budget: { small, large },
      diskBudget: roomFor(10_000_000),
      config: { siteMaxBytes: 1_000_000 },
    }) as Partial<SiteDependencies> as SiteDependencies;

  const sent = (parts: string[], headers: Record<string, string> = {}): RequestContext => {
    const body = gzipSync(Buffer.from([...parts, END].join(''), 'latin1'));
    const type = { 'Content-Type': 'multipart/form-data; boundary=b', 'Content-Encoding': 'gzip' };
    return contextWith(body, { ...type, ...headers });
  };
  const emptyFile = (filename: string): string =>
    part(`Content-Disposition: form-data; name="files"; filename="${utf8(filename)}"`, '');

  // Longer than a path of a site, and no longer than what is kept of a name.
  const NAME = 'あ'.repeat(1_003);
  const COUNT = 200;
  const ofOne = roomOfText(NAME.length);
  const inSmall = Math.floor(SMALL_BODY_BYTES / ofOne) * ofOne;

  test.each(EDGE)(
    'takes room for the names of empty files, which have no bytes (%d)',
    async (more, outcome) => {
      const [small, large] = [roomFor(SMALL_BODY_BYTES), roomFor(COUNT * ofOne - inSmall + more)];
      const before = [leftIn(small), leftIn(large)];
      const context = sent(Array.from({ length: COUNT }, () => emptyFile(NAME)));
      const upload = spoolSiteUpload(dependencies(small, large), context);
      expect(await outcomeOf(upload)).toBe(outcome);
      await (await upload.catch(() => null))?.remove();
      context.end();
      expect([leftIn(small), leftIn(large)]).toEqual(before);
    },
  );

  test('takes room for no more of a name than it keeps', async () => {
    const [small, large] = [roomFor(ofOne), roomFor(0)];
    const context = sent([emptyFile(NAME + 'あ'.repeat(4_000))]);
    const upload = await spoolSiteUpload(dependencies(small, large), context);
    await upload.remove();
    context.end();
  });

  test('takes room for its text fields', async () => {
    const [small, large] = [roomFor(SMALL_BODY_BYTES), roomFor(300_000)];
    const texts = (count: number) => Array.from({ length: count }, () => field('paths', 'x'.repeat(65_536)));
    const context = sent([emptyFile('index.html'), ...texts(4)]);
    expect(await outcomeOf(spoolSiteUpload(dependencies(small, large), context))).toBe('UNAVAILABLE');
    context.end();
    expect(leftIn(large)).toBe(300_000);
  });
});
