import { LRUCache } from 'lru-cache';
import { type AddressSettings, addressedAs } from '../../../http/base-url.ts';
import type { RequestContext } from '../../../http/request-context.ts';

/** Headers and links that answers to plain writes of keys have in common, if they came by one address. */
export interface PutForm {
  /** All that the general path sent. Those that differ for each request are set anew before each answer. */
  readonly headers: Headers;
  /** The address that links begin with. */
  readonly baseUrl: string;
}

export interface PutForms {
  find(headers: Headers): PutForm | undefined;
  /** Keeps the headers of an answer of the general path to a plain write that was done. */
  keep(context: RequestContext, answer: Response): void;
}

/** The bound for clients that vary the Host header. */
const MOST_FORMS = 256;
const MOST_CHARACTERS = 500;

export function createPutForms(settings: AddressSettings): PutForms {
  const forms = new LRUCache<string, PutForm>({ max: MOST_FORMS });
  const nameOf = (headers: Headers): string => addressedAs(headers, settings) ?? '';
  return {
    find: (headers) => forms.get(nameOf(headers)),
    keep({ request, baseUrl }, { headers }) {
      const name = nameOf(request.headers);
      if (name.length <= MOST_CHARACTERS && !forms.has(name))
        forms.set(name, { headers: new Headers(headers), baseUrl });
    },
  };
}
