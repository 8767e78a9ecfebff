/** Every code an error can carry to a client (specification 22.2). */
export type ErrorCode =
  | 'VALIDATION_FAILED'
  | 'JSON_INVALID'
  | 'NAMESPACE_INVALID'
  | 'NAMESPACE_RESERVED'
  | 'ID_INVALID'
  | 'TTL_INVALID'
  | 'USER_AGENT_REQUIRED'
  | 'OWNER_TOKEN_REQUIRED'
  | 'OWNER_TOKEN_BLANK'
  | 'OWNER_TOKEN_INVALID'
  | 'OWNER_TOKEN_WRONG'
  | 'PASSWORD_REQUIRED'
  | 'PASSWORD_WRONG'
  | 'ADMIN_UNAUTHORIZED'
  | 'ADMIN_DISABLED'
  | 'CLIENT_BLOCKED'
  | 'CONTENT_BLOCKED'
  | 'CROSS_SITE_FORBIDDEN'
  | 'NOT_FOUND'
  | 'METHOD_NOT_ALLOWED'
  | 'ID_TAKEN'
  | 'GONE'
  | 'KV_KEY_LIMIT'
  | 'LIMIT_REACHED'
  | 'VALUE_MISMATCH'
  | 'HOSTING_CHANGED'
  | 'FINDING_CHANGED'
  | 'DOMAIN_TAKEN'
  | 'DOMAINS_DISABLED'
  | 'PRECONDITION_FAILED'
  | 'RANGE_NOT_SATISFIABLE'
  | 'TOO_LARGE'
  | 'PAGE_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'CONTENT_REJECTED'
  | 'LINK_BLOCKED'
  | 'QUARANTINED'
  | 'BEING_CHECKED'
  | 'RATE_LIMITED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'STORAGE_FULL'
  | 'TIMEOUT';

/** One faulty field of a request. */
export interface FieldIssue {
  field: string;
  message: string;
}

/** The subject of a NOT_FOUND that no expiry explains: a part of an item that is there, or an address that is no item's. */
export type Missing =
  | {
      readonly partOf: 'site' | 'store' | 'item';
      readonly namespace: string;
      readonly id: string;
      readonly part: string;
    }
  | { readonly partOf: 'service' };

export interface ErrorExtras {
  details?: FieldIssue[];
  /** Seconds after which trying again makes sense. */
  retryAfter?: number;
  /** The allowed methods, of a 405. */
  allow?: string[];
  /** Bytes of the content that a range missed. */
  size?: number;
  /** See `PerchError.missing`. */
  missing?: Missing;
  /** See `PerchError.isRefusal`. */
  isRefusal?: boolean;
  /** See `PerchError.mayBeDone`. */
  mayBeDone?: boolean;
  cause?: unknown;
}

/**
 * A failure with a code that crosses processes. Only the gateway knows which HTTP status a code has.
 * The message is for the client: it says what is wrong and what to do, and holds no internals.
 */
export class PerchError extends Error {
  readonly code: ErrorCode;
  readonly details: FieldIssue[];
  readonly retryAfter: number | null;
  readonly allow: string[] | null;
  readonly size: number | null;
  /** For the pages of this process: an error of another service comes without it. */
  readonly missing: Missing | null;
  /** Whether a full queue refused the work: that is counted and said where it happens, and logged by nobody else. */
  readonly isRefusal: boolean;
  /** Whether the work may have been done, or be done, all the same: its answer is lost. */
  readonly mayBeDone: boolean;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, extras.cause === undefined ? {} : { cause: extras.cause });
    this.name = 'PerchError';
    this.code = code;
    this.details = extras.details ?? [];
    this.retryAfter = extras.retryAfter ?? null;
    this.allow = extras.allow ?? null;
    this.size = extras.size ?? null;
    this.missing = extras.missing ?? null;
    this.isRefusal = extras.isRefusal ?? false;
    this.mayBeDone = extras.mayBeDone ?? false;
  }
}

/** The cause of an error that clients are told as "not now", as an operator needs the cause; any other error as it is. */
export const underlying = (error: unknown): unknown =>
  error instanceof PerchError && error.cause instanceof Error ? error.cause : error;
