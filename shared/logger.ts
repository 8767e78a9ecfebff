import './tracing-channels.ts';
import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino';
import { errorCode } from './error-code.ts';

interface GatheredLines extends DestinationStream {
  /** Hands on what has been gathered. */
  handOn(): void;
}

/**
 * Gathers lines into blocks before they go to pino's own destination, which measures all that it holds at each
 * write. A block leaves when it has `blockLength` characters or after `everyMs`.
 */
export function gatherLines(
  destination: DestinationStream,
  { blockLength, everyMs }: { blockLength: number; everyMs: number },
): GatheredLines {
  let block = '';
  const handOn = (): void => {
    if (block === '') return;
    const full = block;
    block = '';
    destination.write(full);
  };
  setInterval(handOn, everyMs).unref();
  return {
    write(line) {
      block += line;
      if (block.length >= blockLength) handOn();
    },
    handOn,
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
  const destination = pino.destination({ dest: 1, sync: true });
  const lines = gatherLines(destination, { blockLength: 16_384, everyMs: 1000 });
  const log = pino(
    {
      level,
      base: { service, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { error: describeError },
    },
    lines,
  );
  const flush = (): void => {
    try {
      lines.handOn();
    } catch {
      // Standard output is already closed: there is nowhere left to say so.
    }
  };
  return { log, flush };
}

/** Parts of a logger of pino's: where its lines go, and the fields that each begins with, as JSON. */
interface PinoParts {
  [pino.symbols.streamSym]: DestinationStream;
  [pino.symbols.chindingsSym]: string;
}

/**
 * Writes lines of level `info` as the logger does, from fields that are JSON already: for lines by the ten thousand a
 * second, of which pino's own way takes more time than the rest of the request that they tell of.
 */
export function createLineWriter(log: Logger): (fields: string) => void {
  if (!log.isLevelEnabled('info')) return () => undefined;
  const parts = log as Logger & PinoParts;
  const [stream, bound] = [parts[pino.symbols.streamSym], parts[pino.symbols.chindingsSym]];
  let at = 0;
  /** All that comes before the fields, for lines of a millisecond. */
  let front = '';
  return (fields) => {
    const now = Date.now();
    if (now !== at)
      front = `{"level":${log.levels.values.info},"time":"${new Date(now).toISOString()}"${bound},`;
    at = now;
    stream.write(`${front}${fields}}\n`);
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
