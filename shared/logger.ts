import pino, { type Logger as PinoLogger } from 'pino';
import { gatherLines } from './log-lines.ts';

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
  if ('code' in error && typeof error.code === 'string') described.code = error.code;
  if (error.stack !== undefined) described.stack = error.stack;
  if (error.cause !== undefined && depth < 3) described.cause = describeError(error.cause, depth + 1);
  return described;
}
