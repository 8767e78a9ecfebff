import { expect, test } from 'bun:test';
import { createClamdScanner } from '../../../shared/adapters/scanner/clamd.ts';
import { errors } from '../../../shared/errors.ts';
import { piecesOf, startClamdStandIn } from './clamd-stand-in.ts';

const LIMIT_MS = 5_000;
const UNAVAILABLE = expect.objectContaining({ code: 'UNAVAILABLE', retryAfter: 2 });

test('content reaches clamd byte for byte, whatever its pieces, and the verdict is its own', async () => {
  using clamd = startClamdStandIn();
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: 1_000_000 });
  const bytes = crypto.getRandomValues(new Uint8Array(60_000));
  for (const size of [1_000, 60_000]) {
    expect(await scanner.scan(piecesOf(bytes, size), LIMIT_MS)).toEqual({ result: 'clean' });
  }
  const large = new Uint8Array(300_000).fill(7);
  expect(await scanner.scan(piecesOf(large, 300_000), LIMIT_MS)).toEqual({ result: 'clean' });
  expect(await scanner.scan(piecesOf(new Uint8Array()), LIMIT_MS)).toEqual({ result: 'clean' });
  expect(clamd.scanned.slice(0, 2).map((content) => Buffer.compare(content, bytes))).toEqual([0, 0]);
  expect(clamd.scanned.map(({ length }) => length)).toEqual([60_000, 60_000, 300_000, 0]);
  clamd.verdict = 'stream: Win.Test.EICAR_HDB-1 FOUND';
  expect(await scanner.scan(piecesOf(bytes), LIMIT_MS)).toEqual({
    result: 'found',
    signature: 'Win.Test.EICAR_HDB-1',
  });
});

test('what is too large is not sent, and no verdict comes of an answer that has none', async () => {
  using clamd = startClamdStandIn();
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: 50_000 });
  expect(await scanner.scan(piecesOf(new Uint8Array(50_000)), LIMIT_MS)).toEqual({ result: 'clean' });
  expect(await scanner.scan(piecesOf(new Uint8Array(50_001)), LIMIT_MS)).toMatchObject({
    result: 'unscannable',
  });
  expect(clamd.scanned).toHaveLength(1);
  clamd.verdict = 'INSTREAM size limit exceeded. ERROR';
  expect(await scanner.scan(piecesOf(new Uint8Array(10)), LIMIT_MS)).toMatchObject({
    result: 'unscannable',
  });
  for (const answer of ["stream: Can't allocate memory ERROR", 'stream: OKAY', '', 'UNKNOWN COMMAND']) {
    clamd.verdict = answer;
    await expect(scanner.scan(piecesOf(new Uint8Array(10)), LIMIT_MS)).rejects.toEqual(UNAVAILABLE);
  }
});

test('a scanner that is away, silent or out of places is unavailable, and gives its places back', async () => {
  const clamd = startClamdStandIn(null);
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: 1_000, atOnce: 2 });
  await scanner.check();
  expect(await scanner.version()).toStartWith('ClamAV');
  const scans = Array.from({ length: 6 }, () => scanner.scan(piecesOf(new Uint8Array(9)), 300));
  const outcomes = await Promise.allSettled(scans);
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual(
    Array.from({ length: 6 }, () => UNAVAILABLE),
  );
  expect(clamd.most).toBeLessThanOrEqual(2);
  clamd.verdict = 'stream: OK';
  expect(await scanner.scan(piecesOf(new Uint8Array(9)), LIMIT_MS)).toEqual({ result: 'clean' });
  clamd[Symbol.dispose]();
  await expect(scanner.scan(piecesOf(new Uint8Array(9)), LIMIT_MS)).rejects.toEqual(UNAVAILABLE);
  await expect(scanner.check()).rejects.toEqual(UNAVAILABLE);
});

test('clients take turns at its places: one that has many scans waiting keeps another from nothing', async () => {
  using clamd = startClamdStandIn(null);
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: 1_000, atOnce: 1 });
  const scan = (client: string) => scanner.scan(piecesOf(new TextEncoder().encode(client)), 60_000, client);
  const heavy = Array.from({ length: 60 }, () => scan('heavy').catch(() => 'away' as const));
  const light = scan('light');
  while (clamd.waiting === 0) await Bun.sleep(5);
  clamd.verdict = 'stream: OK';
  clamd.answerAll('stream: OK');
  expect(await light).toEqual({ result: 'clean' });
  const outcomes = await Promise.all(heavy);
  expect(clamd.scanned.slice(0, 3).map(String)).toEqual(['heavy', 'light', 'heavy']);
  // One has a place at once, and fifty may wait.
  expect(outcomes.filter((outcome) => outcome === 'away')).toHaveLength(9);
});

test('a content that fails while it is read fails the scan, and keeps no place', async () => {
  using clamd = startClamdStandIn();
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: 1_000, atOnce: 1 });
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10);
    throw new RangeError('the blob ended');
  }
  await expect(scanner.scan(broken(), LIMIT_MS)).rejects.toThrow();
  expect(await scanner.scan(piecesOf(new Uint8Array(9)), LIMIT_MS)).toEqual({ result: 'clean' });
});

test('a connection to the store that is reset is no verdict about the content', async () => {
  using clamd = startClamdStandIn();
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: 1_000 });
  for (const code of ['ECONNRESET', 'EPIPE']) {
    const reset = Object.assign(new Error('reset'), { code });
    for (const error of [errors.unavailable('content store', reset), reset]) {
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield new Uint8Array(10);
        throw error;
      }
      await expect(scanner.scan(broken(), LIMIT_MS)).rejects.toEqual(UNAVAILABLE);
    }
  }
});
