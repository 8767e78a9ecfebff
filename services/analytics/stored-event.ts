import type { AccessEvent } from '../../shared/contracts/access-log.ts';

/** Characters that are kept of each text. The longest there can be still fits into indexes and into messages. */
const KEPT = {
  ...{ requestId: 64, clientIp: 64, userAgent: 512, method: 20, path: 2_048, query: 2_048, referer: 1_024 },
  ...{ resourceNamespace: 64, resourceId: 256, viewed: 64 },
} as const;

/**
 * Events as the database takes them: whatever one holds, it must not keep those that arrive with it from being written.
 * Texts that follow one another are often the same one, which is looked at once.
 */
export function createStoring(now: number): (event: AccessEvent) => AccessEvent {
  const requestId = keeping(KEPT.requestId);
  const clientIp = keeping(KEPT.clientIp);
  const userAgent = orNull(keeping(KEPT.userAgent));
  const method = keeping(KEPT.method);
  const path = keeping(KEPT.path);
  const query = keeping(KEPT.query);
  const referer = orNull(keeping(KEPT.referer));
  const resourceNamespace = orNull(keeping(KEPT.resourceNamespace));
  const resourceId = orNull(keeping(KEPT.resourceId));
  const viewed = orNull(keeping(KEPT.viewed));
  return (event) => ({
    at: Math.min(event.at, now),
    status: event.status,
    durationMs: event.durationMs,
    requests: event.requests ?? 1,
    resourceType: event.resourceType,
    requestId: requestId(event.requestId),
    clientIp: clientIp(event.clientIp),
    userAgent: userAgent(event.userAgent),
    method: method(event.method),
    path: path(event.path),
    query: query(event.query),
    referer: referer(event.referer),
    resourceNamespace: resourceNamespace(event.resourceNamespace),
    resourceId: resourceId(event.resourceId),
    viewed: viewed(event.viewed ?? null),
  });
}

/** PostgreSQL's text holds no NUL, and its UTF-8 no halves of surrogate pairs. */
const MAY_BE_REFUSED = /[\0\ud800-\udfff]/;

function keeping(characters: number): (text: string) => string {
  let last = '';
  let kept = '';
  return (text) => {
    if (text === last) return kept;
    last = text;
    const isFit = text.length <= characters && !MAY_BE_REFUSED.test(text);
    kept = isFit ? text : text.slice(0, characters).replaceAll('\0', '\ufffd').toWellFormed();
    return kept;
  };
}

const orNull =
  (keep: (text: string) => string) =>
  (text: string | null): string | null =>
    text === null ? null : keep(text);
