/** How requests to an endpoint are treated before and after its handler. */
export interface Treatment {
  /** Whether requests are logged, need a User-Agent, and count against the most requests under way. */
  isLogged: boolean;
  /** Whether a browser gets errors as pages: people come here by links, by typing or by a form. */
  hasErrorPages: boolean;
  /** How requests are treated on the separate host of hosted content (CONTENT_BASE_URL). */
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
  /** Files for crawlers and language models, and the gallery's pictures. */
  text: { ...API, onContentHost: 'redirected' },
  api: API,
  /** Where files are put by name: an address for that alone, unknown to every other method. */
  upload: API,
  /** The operator's part of the interface: scripts of other origins may neither read nor send. */
  operator: { ...API, isOpenToOrigins: false },
  /** The operator's console: pages, and the forms in them. */
  console: { ...API, hasErrorPages: true, isOpenToOrigins: false },
  /** The endpoint of agents: scripts of other origins may neither read nor send. */
  agent: { ...API, isOpenToOrigins: false },
  /** An address of the API that a form of ours is sent to. */
  form: { ...API, hasErrorPages: true, onContentHost: 'served' },
  /** Styles, scripts and pictures of the service's pages, and the liveness check. */
  static: { ...API, isLogged: false, onContentHost: 'served' },
  /** Endpoints for supervisors and scrapers of metrics in the internal network. */
  probe: { ...API, isLogged: false, onContentHost: 'served', isOpenToOrigins: false },
} as const satisfies Record<string, Treatment>;

export type Surface = keyof typeof SURFACES;

/** The surface of an address without an endpoint: an error of the API under paths that programs ask for, else a page. */
export function surfaceOfUnknown(path: string): Surface {
  if (/^\/api\/admin(?:\/|$)/.test(path)) return 'operator';
  if (/^\/admin(?:\/|$)/.test(path)) return 'console';
  if (path.startsWith('/assets/')) return 'static';
  return /^\/(?:api|assets|preview)(?:\/|$)/.test(path) ? 'api' : 'link';
}
