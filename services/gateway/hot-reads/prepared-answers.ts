import type { Server } from 'bun';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../../shared/config.ts';
import type { RequestAttributes } from '../../../shared/contracts/access-log.ts';
import type { Kind } from '../../../shared/items/item.ts';
import { connectionOf } from '../http/client.ts';
import { codingFor } from '../http/content-coding.ts';
import { type AddressSettings, addressedAs } from '../http/hosts.ts';
import { maskPath, maskQuery } from '../http/query-masking.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { MadeBody, ResponseBodies } from '../items/response-bodies.ts';
import { createRateHeaders, type SetRateHeaders } from './rate-headers.ts';

/** The normal path's answer to a plain GET of a page, of its stored bytes, or of a key's value, to be given again. */
export interface PreparedAnswer {
  readonly namespace: string;
  readonly id: string;
  readonly kind: Kind;
  /** Version of the item: another one has another answer. */
  readonly version: number;
  /** Key of the store's value; `null` for a page. */
  readonly key: string | null;
  /** Sequence of the key's value: another one has another answer; `null` for a page. */
  readonly sequence: number | null;
  /** The address by which the request came whose answer this is. */
  readonly address: string | null;
  /** Whether that is the item's own host. */
  readonly onItemHost: boolean;
  /** All that the normal path sent. Headers that differ for each request are set anew before each answer. */
  readonly headers: Headers;
  readonly setRateHeaders: SetRateHeaders;
  /** ms since the epoch, when its headers are no longer those of the normal path. */
  readonly until: number;
  /** `null`: the client has no room for it now. */
  body(read: AnsweredRead): MadeBody | null;
  /** A read as the access log has it: one object as long as clients are the same, so that the log has nothing to compare. */
  attributesOf(clientIp: string, userAgent: string, referer: string | null): RequestAttributes;
}

/** The request that an answer is given to. */
export interface AnsweredRead {
  request: Request;
  server: Pick<Server<unknown>, 'requestIP' | 'timeout'>;
  /** As `clientKey` names it. */
  client: string;
}

export interface PreparedAnswers {
  /** The answer in the form that the client prefers. */
  find(request: Request): PreparedAnswer | null;
  /** Keeps an answer of the normal path if every plain GET for its URL would get it. */
  keep(context: RequestContext, response: Response): void;
  forget(request: Request): void;
}

/** Part of CACHE_MAX_BYTES that answers may hold here; the rest is the byte cache's. */
export const PREPARED_SHARE = 1 / 8;

/** Memory of an answer besides its content, the texts of its last client (`MAX_KEPT_CHARACTERS`) among it. */
const FIXED_BYTES = 5_120;

/** Longer texts of a client are not kept for its next read. */
const MAX_KEPT_CHARACTERS = 500;

/** Only what is percent-encoded without need makes the address of an item longer. */
const URL_CHARACTERS = 500;

/** Bodies that Bun sends in one piece with their headers, whatever they are made of (`response-bodies.ts`). */
const SENT_WHOLE_BYTES = 15_359;

export function createPreparedAnswers(
  config: Pick<Config, 'cacheMaxBytes' | 'contentBaseUrl'> & AddressSettings,
  bodies: Pick<ResponseBodies, 'tryOf'>,
): PreparedAnswers {
  const { cacheMaxBytes, contentBaseUrl } = config;
  const answers = new LRUCache<string, PreparedAnswer & { bytes: number }>({
    maxSize: Math.max(1, Math.floor(cacheMaxBytes * PREPARED_SHARE)),
    sizeCalculation: ({ bytes }) => FIXED_BYTES + bytes,
  });

  return {
    find: (request) => answers.get(keyOf(request)) ?? null,
    keep({ plainAnswer, request, loggedPath, search, itemHost }, response) {
      if (plainAnswer === null || response.status !== 200) return;
      const { record, entry, body, until } = plainAnswer;
      if (record.passwordHash !== null || request.url.length > URL_CHARACTERS) return;
      // On a host of their own the policy of pages depends on it.
      if (contentBaseUrl !== null && request.headers.has('sec-fetch-dest')) return;
      const { namespace, id, kind, code, version } = record;
      const headers = new Headers(response.headers);
      answers.set(keyOf(request), {
        namespace,
        id,
        kind,
        version,
        key: entry?.key ?? null,
        sequence: entry?.sequence ?? null,
        address: addressedAs(request.headers, config),
        attributesOf: createAttributes({
          method: 'GET',
          path: maskPath(loggedPath),
          query: maskQuery(search),
          status: 200,
          resourceType: kind,
          resourceNamespace: namespace,
          resourceId: id,
          viewed: code,
        }),
        onItemHost: itemHost !== null,
        headers,
        setRateHeaders: createRateHeaders(headers),
        until,
        body: bodyOf(body),
        bytes: body.length,
      });
    },
    forget: (request) => void answers.delete(keyOf(request)),
  };

  function bodyOf(content: Uint8Array | string): PreparedAnswer['body'] {
    if (content.length <= SENT_WHOLE_BYTES) {
      // The content of a Blob is not copied for each answer.
      const made = { body: new Blob([typeof content === 'string' ? content : new Uint8Array(content)]) };
      return () => made;
    }
    // No value of a key is so long in the cache that it would hold room.
    if (typeof content === 'string') return () => ({ body: content });
    return ({ request, server, client }) =>
      bodies.tryOf({ clientKey: client, connection: connectionOf(request, server) }, content);
  }
}

/** @param common what all reads of an answer have in common */
function createAttributes(
  common: Omit<RequestAttributes, 'clientIp' | 'userAgent' | 'referer'>,
): PreparedAnswer['attributesOf'] {
  let last: RequestAttributes | null = null;
  return (clientIp, userAgent, referer) => {
    const isLast = last?.clientIp === clientIp && last.userAgent === userAgent && last.referer === referer;
    if (last !== null && isLast) return last;
    const attributes = { ...common, clientIp, userAgent, referer };
    if (userAgent.length + (referer?.length ?? 0) <= MAX_KEPT_CHARACTERS) last = attributes;
    return attributes;
  };
}

/** The URL as Bun has it, whole and encoded as it came, and the coding of the answer. */
const keyOf = ({ headers, url }: Request): string => {
  const coding = codingFor(headers);
  return coding === null ? url : `${coding} ${url}`;
};
