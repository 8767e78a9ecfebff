import type { GatewayDependencies } from './dependencies.ts';
import { isSet } from './http/parameters.ts';
import { contentOriginOf } from './items/content-headers.ts';
import type { Responders } from './items/resolve-short-url.ts';
import { createFileResponder, type FileResponder } from './kinds/files/respond.ts';
import { answerLive, createPageResponder, type PageResponder } from './kinds/html/respond.ts';
import { respondAtShortUrl } from './kinds/json/document-page.ts';
import { createStoreResponder } from './kinds/kv/respond.ts';
import { createSiteResponder, type SiteResponder } from './kinds/sites/respond.ts';

/**
 * Responders to reads of content: one for each kind's short URLs, and those of pages, files and sites for the API's
 * routes.
 */
export interface ContentResponders {
  page: PageResponder;
  file: FileResponder;
  site: SiteResponder;
  /** Responders by kind, for short URLs. */
  byKind: Responders;
}

/**
 * @param separateHost whether uploaded content has a host of its own (CONTENT_BASE_URL), so that it may keep its origin
 */
export function createResponders(deps: GatewayDependencies, separateHost: boolean): ContentResponders {
  const { contentBaseUrl, showTopBarDefault } = deps.config;
  const page = createPageResponder(deps.views, { ...deps, showTopBarDefault });
  const viewing = { ...deps, contentBaseUrl };
  const file = createFileResponder({ ...viewing, separateHost });
  const site = createSiteResponder({ ...deps, separateHost });
  return {
    ...{ page, file, site },
    byKind: {
      async html({ context, record, views: count }) {
        const query = context.search === '' ? null : context.query();
        const how = {
          raw: query !== null && isSet(query, 'raw'),
          download: query !== null && isSet(query, 'dl'),
          origin: contentOriginOf(context, separateHost),
        };
        return answerLive(deps, context, record) ?? (await page.respond(context, record, how, count));
      },
      json: (read) => respondAtShortUrl(viewing, read),
      file: file.respond,
      site: site.respond,
      kv: createStoreResponder(deps),
    },
  };
}
