import { errors } from '../../../shared/errors.ts';
import { type ErrorCode, PerchError } from '../../../shared/perch-error.ts';

interface HttpFailure {
  status: number;
  /** The code clients see, where it differs from the internal one. */
  code?: string;
  reason: string;
}

/** Which HTTP status each code has: the one place that knows. */
const FAILURES: Record<ErrorCode, HttpFailure> = {
  VALIDATION_FAILED: { status: 400, reason: 'Bad Request' },
  JSON_INVALID: { status: 400, reason: 'Bad Request' },
  NAMESPACE_INVALID: { status: 400, reason: 'Bad Request' },
  NAMESPACE_RESERVED: { status: 400, reason: 'Bad Request' },
  ID_INVALID: { status: 400, reason: 'Bad Request' },
  TTL_INVALID: { status: 400, reason: 'Bad Request' },
  USER_AGENT_REQUIRED: { status: 400, reason: 'Bad Request' },
  // Settings and source answer a blank token with 400, everything else with 403 (specification 4.7 and 12.3).
  OWNER_TOKEN_BLANK: { status: 400, code: 'OWNER_TOKEN_REQUIRED', reason: 'Bad Request' },
  OWNER_TOKEN_REQUIRED: { status: 403, reason: 'Forbidden' },
  OWNER_TOKEN_INVALID: { status: 400, reason: 'Bad Request' },
  OWNER_TOKEN_WRONG: { status: 403, reason: 'Forbidden' },
  PASSWORD_REQUIRED: { status: 403, reason: 'Forbidden' },
  PASSWORD_WRONG: { status: 403, reason: 'Forbidden' },
  ADMIN_UNAUTHORIZED: { status: 401, reason: 'Unauthorized' },
  ADMIN_DISABLED: { status: 403, reason: 'Forbidden' },
  CLIENT_BLOCKED: { status: 403, reason: 'Forbidden' },
  CONTENT_BLOCKED: { status: 403, reason: 'Forbidden' },
  CROSS_SITE_FORBIDDEN: { status: 403, reason: 'Forbidden' },
  NOT_FOUND: { status: 404, reason: 'Not Found' },
  METHOD_NOT_ALLOWED: { status: 405, reason: 'Method Not Allowed' },
  ID_TAKEN: { status: 409, reason: 'Conflict' },
  GONE: { status: 410, reason: 'Gone' },
  KV_KEY_LIMIT: { status: 409, reason: 'Conflict' },
  LIMIT_REACHED: { status: 409, reason: 'Conflict' },
  VALUE_MISMATCH: { status: 409, reason: 'Conflict' },
  HOSTING_CHANGED: { status: 409, reason: 'Conflict' },
  FINDING_CHANGED: { status: 409, reason: 'Conflict' },
  DOMAIN_TAKEN: { status: 409, reason: 'Conflict' },
  DOMAINS_DISABLED: { status: 403, reason: 'Forbidden' },
  PRECONDITION_FAILED: { status: 412, reason: 'Precondition Failed' },
  RANGE_NOT_SATISFIABLE: { status: 416, reason: 'Range Not Satisfiable' },
  TOO_LARGE: { status: 400, reason: 'Bad Request' },
  PAGE_TOO_LARGE: { status: 422, code: 'TOO_LARGE', reason: 'Unprocessable Content' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, reason: 'Unsupported Media Type' },
  CONTENT_REJECTED: { status: 422, reason: 'Unprocessable Content' },
  LINK_BLOCKED: { status: 422, code: 'CONTENT_REJECTED', reason: 'Unprocessable Content' },
  BEING_CHECKED: { status: 503, reason: 'Service Unavailable' },
  QUARANTINED: { status: 451, reason: 'Unavailable For Legal Reasons' },
  RATE_LIMITED: { status: 429, reason: 'Too Many Requests' },
  INTERNAL: { status: 500, reason: 'Internal Server Error' },
  UNAVAILABLE: { status: 503, reason: 'Service Unavailable' },
  STORAGE_FULL: { status: 503, reason: 'Service Unavailable' },
  TIMEOUT: { status: 504, reason: 'Gateway Timeout' },
};

/** An error in the shape every endpoint answers with (specification 22.1). */
export interface ErrorBody {
  status: number;
  code: string;
  error: string;
  message: string;
  details?: Array<{ field: string; message: string }>;
  /** Types that can be taken, where the body of a create has another one, or other content. */
  supportedTypes?: readonly string[];
  /** The reason for which content was refused. */
  result?: { code: 'failed'; action: 'rejected'; reason: string };
  timestamp: string;
  requestId: string;
}

/** Turns any thrown value into one of our errors: an unknown one becomes INTERNAL, whose details only the log has. */
export function asPerchError(error: unknown): PerchError {
  return error instanceof PerchError ? error : errors.internal(error);
}

export function errorBody(error: PerchError, requestId: string): ErrorBody {
  const { status, code = error.code, reason } = FAILURES[error.code];
  return {
    status,
    code,
    error: reason,
    message: error.message,
    ...(error.details.length > 0 ? { details: error.details } : {}),
    ...(error.code === 'LINK_BLOCKED'
      ? { result: { code: 'failed', action: 'rejected', reason: error.message } as const }
      : {}),
    timestamp: new Date().toISOString(),
    requestId,
  };
}

export function errorHeaders(error: PerchError): Record<string, string> {
  const headers: Record<string, string> = { 'Cache-Control': 'no-store' };
  // RFC 9110, section 15.5.2: a 401 names a scheme. Browsers know none of this name, so they ask nobody for a password.
  if (error.code === 'ADMIN_UNAUTHORIZED') headers['WWW-Authenticate'] = 'AdminPassword';
  if (error.retryAfter !== null) headers['Retry-After'] = String(error.retryAfter);
  if (error.allow !== null) headers.Allow = error.allow.join(', ');
  if (error.size !== null) headers['Content-Range'] = `bytes */${error.size}`;
  return headers;
}
