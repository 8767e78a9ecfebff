import type { ErrorCode, PerchError } from '../../../../shared/errors.ts';
import { errorBody } from '../../http/error-status.ts';

const SEND_TOKEN =
  'Pass `ownerToken`: the token that the publishing tool returned for this item. It cannot be recovered; without it, publish a new item.';

/** The next step of a model after an error, in words of tools: the error's message speaks of HTTP. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  VALIDATION_FAILED: 'Correct the arguments that `details` names, and call the tool again.',
  NAMESPACE_RESERVED: 'Choose another `namespace`, or leave it out to get a random one.',
  ID_TAKEN: 'Choose another `id`, or leave it out to get a free one.',
  OWNER_TOKEN_REQUIRED: SEND_TOKEN,
  OWNER_TOKEN_BLANK: SEND_TOKEN,
  OWNER_TOKEN_WRONG: SEND_TOKEN,
  OWNER_TOKEN_INVALID:
    'Pass the `ownerToken` of an earlier answer as it was, or leave it out to get a new one.',
  PASSWORD_REQUIRED: 'Ask your user for the password of the item, and pass it as `password`.',
  PASSWORD_WRONG:
    'Ask your user for the right password. After ten wrong ones the item is closed for 15 minutes.',
  NOT_FOUND: 'Check `namespace` and `id` (and `key`). The item may have expired: publish it again.',
  GONE: 'It has expired or was removed: publish it again.',
  PRECONDITION_FAILED:
    'Read the item again, put your change into what it is now, and pass its new `etag` as `ifMatch`.',
  TOO_LARGE: 'Send less, or ask for less at once, or divide it. get_limits says what is possible.',
  PAGE_TOO_LARGE: 'Send less, or divide it. get_limits says what is possible.',
  CONTENT_REJECTED: 'Change the content, or publish it as another kind.',
  UNSUPPORTED_MEDIA_TYPE: 'Choose a filename whose extension fits the content and is supported.',
  LIMIT_REACHED: 'Delete what is not needed any more (list_mine, delete_resource), or use another namespace.',
  RATE_LIMITED: 'Wait `retryAfterSeconds`, then call the tool again. get_limits says where you stand.',
  UNAVAILABLE:
    'Wait `retryAfterSeconds`, then call the tool again, a publishing one with an `idempotencyKey`.',
  TIMEOUT: 'Wait `retryAfterSeconds`, then call the tool again, a publishing one with an `idempotencyKey`.',
};

/** The result of a call that failed: the error as the interface words it, and the next step. */
export function toolError(error: PerchError, requestId: string) {
  const { status, code, message, details } = errorBody(error, requestId);
  const told = {
    ...{ code, message, details, next: NEXT[error.code] ?? 'Do as the message says.' },
    ...(error.retryAfter === null ? {} : { retryAfterSeconds: error.retryAfter }),
    requestId,
  };
  return {
    status,
    result: { isError: true, content: [{ type: 'text' as const, text: JSON.stringify(told) }] },
  };
}
