import './tracing-channels.ts';
import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino';
import { errorCode } from './error-code.ts';

/** Lines on their way out, which leave in blocks. */
interface GatheredLines extends DestinationStream {
  /** Adds a beginning of a line. The caller writes the rest of it before anybody else writes. */
  add(text: string): void;
  /** Adds a line, or the rest of one. */
  write(text: string): void;
  /** Hands on what has been gathered. */
  handOn(): void;
  /** Calls back before `flush`, for lines that are not made yet. */
  onFlush(callback: () => void): void;
  /** Hands on all there is: the process ends. Never throws. */
  flush(): void;
}

/** Takes blocks of whole lines. */
interface BlockDestination {
  write(block: Uint8Array): unknown;
}

/** A method of buffers that takes half as long as their `write`; the types of Bun leave it out. */
interface WithUtf8Write {
  utf8Write(text: string, offset: number): number;
}
const newBlock = (bytes: number) => Buffer.allocUnsafe(bytes) as Buffer & WithUtf8Write;

/** Bytes that a UTF-16 code unit takes in UTF-8 at the most. */
const MAX_UTF8_BYTES = 3;

/**
 * Gathers lines into blocks, as bytes, before they go to pino's own destination, which measures all that it holds at each
 * write. A block leaves when it has `blockBytes` or after `everyMs`.
 */
export function gatherLines(
  destination: BlockDestination,
  { blockBytes, everyMs }: { blockBytes: number; everyMs: number },
): GatheredLines {
  let block = newBlock(2 * blockBytes);
  let length = 0;
  const handOn = (): void => {
    if (length === 0) return;
    const full = block.subarray(0, length);
    block = newBlock(2 * blockBytes);
    length = 0;
    destination.write(full);
  };
  const add = (text: string): void => {
    const needed = length + MAX_UTF8_BYTES * text.length;
    if (needed > block.length) {
      const larger = newBlock(2 * needed);
      larger.set(block.subarray(0, length));
      block = larger;
    }
    length += block.utf8Write(text, length);
  };
  setInterval(handOn, everyMs).unref();
  const callbacks: Array<() => void> = [];
  return {
    add,
    write(text) {
      add(text);
      if (length >= blockBytes) handOn();
    },
    handOn,
    onFlush: (callback) => void callbacks.push(callback),
    flush() {
      for (const step of [...callbacks, handOn]) {
        try {
          step();
        } catch {
          // Standard output is already closed: there is nowhere left to say so.
        }
      }
    },
  };
}

export type Logger = PinoLogger;

/** Levels of `LOG_LEVEL`. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Structured logs as JSON lines on standard output, gathered: a write per request would be a system call per
 * request. Lines leave after 16 KB or one second, and at exit through `flush`. A block is written at once and whole:
 * what an exit finds still on its way would be lost.
 */
export function createLogger(service: string, level: LogLevel): { log: Logger; flush: () => void } {
  const destination = pino.destination({ dest: 1, sync: true, contentMode: 'buffer' });
  // The types of pino's destinations know texts alone, not the blocks of bytes that they take in this mode.
  const lines = gatherLines(destination as unknown as BlockDestination, {
    blockBytes: 16_384,
    everyMs: 1000,
  });
  const log = pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: describeError },
    },
    lines,
  );
  return { log, flush: lines.flush };
}

/** Parts of a logger of `createLogger`: where its lines go, and the fields that each begins with, as JSON. */
interface LoggerParts {
  [pino.symbols.streamSym]: GatheredLines;
  [pino.symbols.chindingsSym]: string;
}

/** Writes lines in parts. */
export interface LineWriter {
  /** Begins a line, with the fields that all have. @param time in ms since the epoch @param json begins those that follow */
  begin(time: number, json: string): void;
  /** Goes on with the fields, which are JSON already. */
  add(json: string): void;
  /** Ends the line. @param json ends its fields */
  end(json: string): void;
  /** Calls back before the log is flushed at the end of the process. */
  onFlush(callback: () => void): void;
}

/**
 * Writes lines of level `info` as the logger does, from fields that are JSON already: for lines by the ten thousand a
 * second, of which pino's own way takes more time than the rest of the request that they tell of.
 * @param log of `createLogger`
 * @returns `null`: lines of this level are not wanted
 */
export function createLineWriter(log: Logger): LineWriter | null {
  if (!log.isLevelEnabled('info')) return null;
  const parts = log as Logger & LoggerParts;
  const [lines, bound] = [parts[pino.symbols.streamSym], parts[pino.symbols.chindingsSym]];
  let at = Number.NaN;
  /** All that comes before the fields, for lines of a millisecond. */
  let front = '';
  return {
    begin(time, json) {
      if (time !== at)
        front = `{"level":${log.levels.values.info},"time":"${new Date(time).toISOString()}"${bound},`;
      at = time;
      lines.add(front);
      lines.add(json);
    },
    add: lines.add,
    end: (json) => lines.write(`${json}}\n`),
    onFlush: lines.onFlush,
  };
}

interface DescribedError {
  name: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: DescribedError;
}

function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { name: typeof error, message: String(error) };
  const described: DescribedError = { name: error.name, message: error.message };
  const code = errorCode(error);
  if (code !== undefined) described.code = code;
  if (error.stack !== undefined) described.stack = error.stack;
  if (error.cause !== undefined && depth < 3) described.cause = describeError(error.cause, depth + 1);
  return described;
}
