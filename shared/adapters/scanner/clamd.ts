import { steadyNow, within } from '../../deadline.ts';
import { errorCode } from '../../error-code.ts';
import { errors } from '../../errors.ts';
import { createFairSemaphore } from '../../fair-queue.ts';
import { PerchError } from '../../perch-error.ts';
import { contentRefused, type Scanner, type Verdict } from '../../ports/scanner.ts';
import { turns } from '../../turns.ts';
import { type ClamdConnection, clamdAddress, openClamd } from './clamd-connection.ts';

interface ClamdOptions {
  /** `tcp://host:port` or `unix:///path`. */
  url: string;
  /** Content above so many bytes is not sent: clamd's own bound is StreamMaxLength. */
  maxBytes: number;
  /** Scans of this client at once; clamd has MaxThreads for all. */
  atOnce?: number;
}

/** Scans that wait for a place at the most, half of them for one client; more than these are refused at once. */
const MAX_WAITING = 100;

/** Longest wait for an answer that costs clamd nothing, in ms. */
const PING_LIMIT_MS = 2_000;

/** Pieces that clamd is sent have at most so many bytes. */
const PIECE_BYTES = 65_536;

const END = new Uint8Array(4);

/**
 * A client of ClamAV's daemon: the commands INSTREAM, PING and VERSION of clamd(8), in the form that ends with NUL. Each has
 * a connection of its own.
 */
export function createClamdScanner({ url, maxBytes, atOnce = 2 }: ClamdOptions): Scanner {
  const address = clamdAddress(url);
  const permits = createFairSemaphore(atOnce, MAX_WAITING);

  /** Talks over a connection of its own, which is closed whatever comes of it. */
  const speak = async <T>(limitMs: number, talk: (clamd: ClamdConnection) => Promise<T>): Promise<T> => {
    const over = new AbortController();
    const talking = openClamd(address, over.signal).then(talk);
    try {
      return await within(talking, limitMs, () => new Error('clamd took too long'));
    } catch (error) {
      throw error instanceof PerchError ? error : errors.unavailable('scanner', error);
    } finally {
      over.abort();
    }
  };
  const ask = (command: string): Promise<string> =>
    speak(PING_LIMIT_MS, async (clamd) => {
      await clamd.send(commandOf(command));
      return await clamd.answer();
    });

  const isThere = async (): Promise<boolean> =>
    await ask('PING').then(
      (answer) => answer === 'PONG',
      () => false,
    );

  const scanWithin = async (limitMs: number, content: AsyncIterable<Uint8Array>): Promise<Verdict> => {
    // The store may close a connection, too: that says nothing about the content.
    let isRead = true;
    const pieces = noting(content, () => {
      isRead = false;
    });
    try {
      return await speak(limitMs, (clamd) => scanOver(clamd, pieces, maxBytes));
    } catch (error) {
      // The answer is lost when its connection is closed under a write. A clamd that has ended answers nobody.
      if (isRead && wasClosed(error) && (await isThere())) return CUT_OFF;
      throw error;
    }
  };

  return {
    async scan(content, limitMs, client = '') {
      const until = steadyNow() + limitMs;
      return await permits.run({ client, limitMs, refuse: noPermit }, () =>
        scanWithin(until - steadyNow(), content),
      );
    },
    version: () => ask('VERSION'),
    async check() {
      const answer = await ask('PING');
      if (answer !== 'PONG') throw errors.unavailable('scanner', new Error(`PING got ${answer}`));
    },
  };
}

const noPermit = (): Error =>
  errors.unavailable('scanner', new Error('no place for a scan became free in time'));

/** Verdict about a content that clamd has not taken whole, as it does with one that is larger than its StreamMaxLength. */
const CUT_OFF: Verdict = { result: 'unscannable', reason: 'the scanner took a part of it only' };

/** Whether the other end has closed a connection that was written to. */
const wasClosed = (error: unknown): boolean =>
  error instanceof PerchError && ['EPIPE', 'ECONNRESET'].includes(errorCode(error.cause) ?? '');

/** Content as it is, whose failure is told before it is thrown. */
async function* noting(content: AsyncIterable<Uint8Array>, failed: () => void): AsyncGenerator<Uint8Array> {
  try {
    yield* content;
  } catch (error) {
    failed();
    throw error;
  }
}

const commandOf = (command: string): Uint8Array => new TextEncoder().encode(`z${command}\0`);

async function scanOver(
  clamd: ClamdConnection,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Verdict> {
  await clamd.send(commandOf('INSTREAM'));
  let sent = 0;
  for await (const bytes of content) {
    sent += bytes.length;
    if (sent > maxBytes) return tooLarge(maxBytes);
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      await untilHeard();
      if (clamd.isAnswered) break;
      await sendPiece(clamd, bytes.subarray(start, start + PIECE_BYTES));
    }
    // clamd has refused the rest.
    if (clamd.isAnswered) break;
  }
  if (!clamd.isAnswered) await clamd.send(END);
  return verdictOf(await clamd.answer(), maxBytes);
}

/**
 * Lets an answer in that has arrived: clamd closes a connection whose content is too large while more of it is sent, and a
 * write to it would end the connection with the answer unread.
 */
const untilHeard = (): Promise<void> => turns(1);

/** Sends length and bytes in one write: clamd may close the connection as soon as it knows the length. */
async function sendPiece(clamd: ClamdConnection, piece: Uint8Array): Promise<void> {
  const sized = new Uint8Array(4 + piece.length);
  new DataView(sized.buffer).setUint32(0, piece.length);
  sized.set(piece, 4);
  await clamd.send(sized);
}

const tooLarge = (bytes: number): Verdict => ({
  result: 'unscannable',
  reason: `larger than the ${bytes} bytes that the scanner takes`,
});

/** @throws UNAVAILABLE for an answer that says nothing about the content */
function verdictOf(answer: string, maxBytes: number): Verdict {
  if (answer === 'stream: OK') return { result: 'clean' };
  const found = /^stream: (.+) FOUND$/.exec(answer)?.[1];
  if (found !== undefined) return { result: 'found', signature: found.slice(0, 200) };
  if (answer.startsWith('INSTREAM size limit exceeded')) return tooLarge(maxBytes);
  throw contentRefused(`clamd answered: ${answer.slice(0, 200)}`);
}
