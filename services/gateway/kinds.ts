import type { GatewayDependencies } from './dependencies.ts';
import type { Responders } from './items/resolve-short-url.ts';
import { createFileResponder, type FileResponder } from './kinds/files/respond.ts';
import { answerHtmlShortUrl, createHtmlResponder, type HtmlResponder } from './kinds/html/respond.ts';
import { answerJsonShortUrl } from './kinds/json/respond.ts';
import { createStoreResponder } from './kinds/kv/respond.ts';
import { createSiteResponder, type SiteResponder } from './kinds/sites/respond.ts';

/** Responders to reads of content. The html, file and site responders also serve the API's routes. */
export interface ContentResponders {
  html: HtmlResponder;
  file: FileResponder;
  site: SiteResponder;
  /** The responders of all kinds to short URLs. */
  byKind: Responders;
}

/** For kinds whose items are one document. */
const hasNoParts = (): boolean => false;

/**
 * @param separateHost whether uploaded content has a host of its own (CONTENT_BASE_URL), so that it may keep its origin
 */
export function createResponders(deps: GatewayDependencies, separateHost: boolean): ContentResponders {
  const { contentBaseUrl, showTopBarDefault } = deps.config;
  const html = createHtmlResponder(deps.renderedPages, { ...deps, showTopBarDefault });
  const viewing = { ...deps, contentBaseUrl };
  const file = createFileResponder({ ...viewing, separateHost });
  const site = createSiteResponder({ ...deps, separateHost });
  return {
    html,
    file,
    site,
    byKind: {
      html: {
        hasPart: hasNoParts,
        respond: (read) => answerHtmlShortUrl(deps, html, separateHost, read),
      },
      json: { hasPart: hasNoParts, respond: (read) => answerJsonShortUrl(viewing, read) },
      file: { hasPart: hasNoParts, respond: file.respond },
      site: { hasPart: () => true, respond: site.respond },
      kv: { hasPart: (sub) => sub !== '', respond: createStoreResponder(deps) },
    },
  };
}
