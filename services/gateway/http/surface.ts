/** How requests to an endpoint are treated, whatever it does. */
export interface Treatment {
  /** Whether it is limited, logged and asks for a User-Agent. */
  isLogged: boolean;
  /** Whether a browser gets errors as pages: people come here by links, by typing or by a form. */
  hasErrorPages: boolean;
  /** On the host that hosted content has for itself (CONTENT_BASE_URL). */
  onContentHost: 'served' | 'redirected' | 'missing';
  /** Whether scripts of other origins may read the answers (CORS). */
  isOpenToOrigins: boolean;
}

const API: Treatment = {
  isLogged: true,
  hasErrorPages: false,
  onContentHost: 'missing',
  isOpenToOrigins: true,
};

export const SURFACES = {
  /** Pages of the service for people. */
  page: { ...API, hasErrorPages: true, onContentHost: 'redirected' },
  /** Addresses that lead on to items. */
  link: { ...API, hasErrorPages: true },
  /** Files for crawlers and language models. */
  text: { ...API, onContentHost: 'redirected' },
  api: API,
  /** The operator's part of the interface: for no other origin's scripts to read, nor to send. */
  operator: { ...API, isOpenToOrigins: false },
  /** An address of the API that a form of ours is sent to. */
  form: { ...API, hasErrorPages: true, onContentHost: 'served' },
  /** Styles, scripts and pictures of the service's pages, and whether it is alive. */
  static: { ...API, isLogged: false, onContentHost: 'served' },
  /** For supervisors and scrapers on the inside. */
  probe: { ...API, isLogged: false, onContentHost: 'served', isOpenToOrigins: false },
} as const satisfies Record<string, Treatment>;

export type Surface = keyof typeof SURFACES;

/** The surface of an address at which nothing is: an error of the API under its paths, else a page. */
export function surfaceOfUnknown(path: string): Surface {
  if (/^\/api\/admin(?:\/|$)/.test(path)) return 'operator';
  if (path.startsWith('/assets/')) return 'static';
  return /^\/(?:api|assets)(?:\/|$)/.test(path) ? 'api' : 'link';
}
