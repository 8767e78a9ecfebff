import type { ErrorAnswer, ErrorCode } from './operation.ts';
import type { UploadSource } from './upload-body.ts';

/** The service refused a request, or could not answer it. Go by `code`; `message` says what to do. */
export class PerchError extends Error {
  override readonly name = 'PerchError';
  readonly status: number;
  /** `null`: what stands in front of the service has answered, a proxy for example. */
  readonly code: ErrorCode | null;
  /** Names the exchange in the logs of the service. */
  readonly requestId: string | null;
  /** The URL of the request, after redirects. */
  readonly url: string;
  /** The invalid fields, each with a reason; empty when the error is not about a field. */
  readonly details: ReadonlyArray<{ field: string; message: string }>;
  /** How long the service asks to wait, in ms; `null` when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(response: Response, answer: Partial<ErrorAnswer> | null) {
    super(answer?.message ?? `The server answered ${response.status} ${response.statusText}`.trim());
    this.status = response.status;
    this.url = response.url;
    this.code = answer?.code ?? null;
    this.requestId = answer?.requestId ?? response.headers.get('X-Request-Id');
    this.details = answer?.details ?? [];
    this.retryAfterMs = retryAfterOf(response.headers.get('Retry-After'));
  }

  /** Reads the body of an answer that is no success. */
  static async from(response: Response): Promise<PerchError> {
    const text = await response.text().catch(() => '');
    return new PerchError(response, parseAnswer(text));
  }
}

/** No answer came: the address is wrong, the server is away, the connection broke, or it took too long. */
export class PerchConnectionError extends Error {
  override readonly name = 'PerchConnectionError';
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`No answer from ${new URL(url).origin}: ${reasonOf(cause)}`, { cause });
    this.url = url;
  }
}

/** The content of a request could not be read to its end, such as a file that was removed or changed meanwhile. No attempt follows. */
export class PerchContentError extends Error {
  override readonly name = 'PerchContentError';
  /** The content as it was given. */
  readonly content: UploadSource;

  constructor(content: UploadSource, cause: unknown) {
    super(`The content could not be read: ${reasonOf(cause)}`, { cause });
    this.content = content;
  }
}

/** The failure of a success that is none of a Perch. */
export const noPerchError = (url: string): PerchConnectionError =>
  new PerchConnectionError(url, new Error('what answers there is no Perch'));

/**
 * The client sent a conditional change again, as its answer was lost, and the repetition was refused with 412: the first request may
 * have made the change. A read of the item shows whether it did.
 */
export class PerchUncertainError extends Error {
  override readonly name = 'PerchUncertainError';
  readonly url: string;

  /** @param cause the refusal of the repetition */
  constructor(cause: PerchError) {
    super(
      'The answer to the change was lost, and its repetition was refused: the change may be made. Read what is there.',
      { cause },
    );
    this.url = cause.url;
  }
}

function parseAnswer(text: string): Partial<ErrorAnswer> | null {
  try {
    const parsed: unknown = JSON.parse(text);
    if (parsed === null || typeof parsed !== 'object' || !('code' in parsed)) return null;
    return parsed as Partial<ErrorAnswer>;
  } catch {
    return null;
  }
}

/** Seconds, or a date; in ms. */
function retryAfterOf(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

/** `fetch` of Node says only "fetch failed"; what happened is in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, message } = error;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
