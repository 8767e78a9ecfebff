import { type ErrorCode, PerchConnectionError, PerchError } from 'perch-client';

/** Exit codes, as the README tells them. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  notFound: 3,
  notAllowed: 4,
  refused: 5,
  limited: 6,
  unavailable: 7,
} as const;

/** A failure that the command has found by itself; the message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.usage) {
    super(message);
    this.exitCode = exitCode;
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export interface Failure {
  exitCode: number;
  message: string;
  /** Advice, where the message has none. */
  hint: string | null;
  code: ErrorCode | null;
  requestId: string | null;
  details: ReadonlyArray<{ field: string; message: string }>;
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  OWNER_TOKEN_REQUIRED:
    'No owner token is kept for this server. If you have the one of this item: perch token set',
  OWNER_TOKEN_WRONG:
    'The item belongs to another owner token than the one kept for this server. If you have it: PERCH_TOKEN=… perch …',
  PASSWORD_REQUIRED: 'Give the password with --password.',
  PASSWORD_WRONG: 'Give another one with --password.',
  ID_TAKEN: 'Choose another one with --id, or leave --id out.',
};

/** Message, advice and exit code for an error. */
export function explain(error: unknown): Failure {
  const plain = { hint: null, code: null, requestId: null, details: [] };
  if (error instanceof CommandError) return { ...plain, exitCode: error.exitCode, message: error.message };
  if (error instanceof PerchConnectionError) {
    const hint = 'Is a Perch running there? PERCH_URL or --url says where it is.';
    return { ...plain, exitCode: EXIT.unavailable, message: error.message, hint };
  }
  if (error instanceof PerchError) {
    const { message, code, requestId, details } = error;
    return { exitCode: exitCodeOf(error.status), message, hint: hintOf(error), code, requestId, details };
  }
  return { ...plain, exitCode: EXIT.unexpected, message: messageOf(error) };
}

function hintOf({ code, retryAfterMs }: PerchError): string | null {
  if (retryAfterMs !== null && retryAfterMs > 0) return `Try again in ${durationOf(retryAfterMs)}.`;
  return code === null ? null : (HINTS[code] ?? null);
}

function exitCodeOf(status: number): number {
  if (status === 401 || status === 403) return EXIT.notAllowed;
  if (status === 404 || status === 410) return EXIT.notFound;
  if (status === 429) return EXIT.limited;
  return status >= 500 ? EXIT.unavailable : EXIT.refused;
}

function durationOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  return seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
