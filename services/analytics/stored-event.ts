import type { AccessEvent } from '../../shared/contracts/access-log.ts';

/** Characters that are kept of each text. The longest there can be still fits into indexes and into messages. */
const KEPT = {
  ...{ requestId: 64, clientIp: 64, userAgent: 512, method: 20, path: 2_048, query: 2_048, referer: 1_024 },
  ...{ resourceNamespace: 64, resourceId: 256 },
} as const;

/** An event as the database takes it: whatever it holds, it must not keep those that arrive with it from being written. */
export function toStoredEvent(event: AccessEvent, now: number): AccessEvent {
  return {
    at: Math.min(event.at, now),
    status: event.status,
    durationMs: event.durationMs,
    requests: event.requests ?? 1,
    resourceType: event.resourceType,
    requestId: kept(event.requestId, KEPT.requestId),
    clientIp: kept(event.clientIp, KEPT.clientIp),
    userAgent: keptOrNull(event.userAgent, KEPT.userAgent),
    method: kept(event.method, KEPT.method),
    path: kept(event.path, KEPT.path),
    query: kept(event.query, KEPT.query),
    referer: keptOrNull(event.referer, KEPT.referer),
    resourceNamespace: keptOrNull(event.resourceNamespace, KEPT.resourceNamespace),
    resourceId: keptOrNull(event.resourceId, KEPT.resourceId),
  };
}

/** PostgreSQL's text holds no NUL, and its UTF-8 no halves of surrogate pairs. */
const MAY_BE_REFUSED = /[\0\ud800-\udfff]/;

function kept(text: string, characters: number): string {
  if (text.length <= characters && !MAY_BE_REFUSED.test(text)) return text;
  return text.slice(0, characters).replaceAll('\0', '\ufffd').toWellFormed();
}

const keptOrNull = (text: string | null, characters: number): string | null =>
  text === null ? null : kept(text, characters);
