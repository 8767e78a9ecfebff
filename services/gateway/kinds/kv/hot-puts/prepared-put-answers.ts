import { LRUCache } from 'lru-cache';
import { createRateHeaders, type SetRateHeaders } from '../../../hot-reads/rate-headers.ts';
import { type AddressSettings, addressedAs } from '../../../http/hosts.ts';
import type { RequestContext } from '../../../http/request-context.ts';

/** Headers and links that answers to plain writes of keys have in common, if they came by one address. */
export interface PreparedPutAnswer {
  /** All that the normal path sent. Headers that differ for each request are set anew before each answer. */
  readonly headers: Headers;
  readonly setRateHeaders: SetRateHeaders;
  /** The address that links begin with. */
  readonly baseUrl: string;
}

export interface PreparedPutAnswers {
  find(headers: Headers): PreparedPutAnswer | null;
  /** Keeps the headers of an answer of the normal path to a plain write that was done. */
  keep(context: RequestContext, answer: Response): void;
}

/** The bound for clients that vary the Host header. */
const MAX_KEPT = 256;
const MAX_CHARACTERS = 500;

export function createPreparedPutAnswers(settings: AddressSettings): PreparedPutAnswers {
  const answers = new LRUCache<string, PreparedPutAnswer>({ max: MAX_KEPT });
  const nameOf = (headers: Headers): string => addressedAs(headers, settings) ?? '';
  return {
    find: (headers) => answers.get(nameOf(headers)) ?? null,
    keep({ request, baseUrl }, { headers }) {
      const name = nameOf(request.headers);
      if (name.length > MAX_CHARACTERS || answers.has(name)) return;
      const kept = new Headers(headers);
      answers.set(name, { headers: kept, setRateHeaders: createRateHeaders(kept), baseUrl });
    },
  };
}
