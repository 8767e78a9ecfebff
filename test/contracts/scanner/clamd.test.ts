import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ClamdServer, eicar, startClamd } from '../../../infra/servers/clamd.ts';
import { createClamdScanner } from '../../../shared/adapters/scanner/clamd.ts';
import { loadConfig } from '../../../shared/config.ts';
import { piecesOf } from './clamd-stand-in.ts';

const START_LIMIT_MS = 600_000;
const LIMIT_MS = 20_000;
const MB = 1_048_576;

let folder: string;
let clamd: ClamdServer;

const text = (of: string): Uint8Array => new TextEncoder().encode(of);
const EXACT = text('exactly these bytes');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-clamd-'));
  const signatures = [
    { name: 'Eicar-Test', part: eicar() },
    { name: 'Exact', whole: EXACT },
  ];
  clamd = await startClamd({ dir: folder, signatures, maxBytes: MB });
}, START_LIMIT_MS);

afterAll(async () => {
  await clamd?.stop();
  await rm(folder, { recursive: true, force: true });
});

const clients = () =>
  [clamd.url, clamd.socketUrl].map((url) => createClamdScanner({ url, maxBytes: 25 * MB }));

test('a real clamd finds EICAR and a hash of a file, over TCP and over its socket, and lets the rest through', async () => {
  for (const scanner of clients()) {
    await scanner.check();
    expect(await scanner.version()).toStartWith('ClamAV');
    expect(await scanner.scan(piecesOf(eicar(), 7), LIMIT_MS)).toEqual({
      result: 'found',
      signature: 'Eicar-Test.UNOFFICIAL',
    });
    expect(await scanner.scan(piecesOf(EXACT), LIMIT_MS)).toEqual({
      result: 'found',
      signature: 'Exact.UNOFFICIAL',
    });
    for (const clean of [text('exactly these bytes!'), new Uint8Array(), new Uint8Array(MB)])
      expect(await scanner.scan(piecesOf(clean), LIMIT_MS)).toEqual({ result: 'clean' });
  }
});

test('content above its StreamMaxLength is unscannable, however far it was sent', async () => {
  for (const scanner of clients()) {
    for (const size of [MB + 1, 4 * MB, 20 * MB, 4 * MB, 20 * MB, 4 * MB])
      expect(await scanner.scan(piecesOf(new Uint8Array(size)), LIMIT_MS)).toMatchObject({
        result: 'unscannable',
      });
  }
});

test('many scans at once get each their own verdict', async () => {
  for (const scanner of clients()) {
    const contents = Array.from({ length: 40 }, (_, n) => (n % 3 === 0 ? eicar() : text(`clean ${n}`)));
    const verdicts = await Promise.all(contents.map((bytes) => scanner.scan(piecesOf(bytes), LIMIT_MS)));
    expect(verdicts.map(({ result }) => result)).toEqual(
      contents.map((_, n) => (n % 3 === 0 ? 'found' : 'clean')),
    );
  }
});

test('a clamd that is paused or stopped is unavailable, and is asked again once it is back', async () => {
  const scanner = createClamdScanner({ url: clamd.url, maxBytes: MB });
  clamd.pause();
  await expect(scanner.scan(piecesOf(text('late')), 500)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  clamd.resume();
  expect(await scanner.scan(piecesOf(text('again')), LIMIT_MS)).toEqual({ result: 'clean' });
  await clamd.stop();
  await expect(scanner.check()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await clamd.learn([{ name: 'New', part: text('yesterday clean') }]);
  await clamd.start();
  expect(await scanner.scan(piecesOf(text('yesterday clean')), LIMIT_MS)).toEqual({
    result: 'found',
    signature: 'New.UNOFFICIAL',
  });
});

test(
  'with the settings of its container it finds malware at the end of the largest content that Perch sends, for all at once',
  async () => {
    const dir = join(folder, 'container');
    await mkdir(dir);
    const settings = await readFile(join(import.meta.dirname, '../../../infra/clamav/clamd.conf'), 'utf8');
    const contained = await startClamd({
      dir,
      settings,
      signatures: [{ name: 'Eicar-Test', part: eicar() }],
    });
    try {
      const { maxBytes } = loadConfig({}).scanning;
      // Two processes each of content and site, with four scans each.
      const scanner = createClamdScanner({ url: contained.url, maxBytes, atOnce: 16 });
      const largest = new Uint8Array(maxBytes);
      largest.set(eicar(), maxBytes - eicar().length);
      const limit = /^MaxThreads (\d+)$/m.exec(settings)?.[1];
      expect(Number(limit)).toBeGreaterThanOrEqual(16);
      const contents = Array.from({ length: 16 }, (_, n) => (n % 4 === 0 ? largest : text(`clean ${n}`)));
      const verdicts = await Promise.all(
        contents.map((bytes) => scanner.scan(piecesOf(bytes, MB), 10 * LIMIT_MS)),
      );
      expect(verdicts.map(({ result }) => result)).toEqual(
        contents.map((_, n) => (n % 4 === 0 ? 'found' : 'clean')),
      );
    } finally {
      await contained.stop();
    }
  },
  START_LIMIT_MS,
);
