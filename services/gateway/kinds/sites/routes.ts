import { Elysia } from 'elysia';
import { createSite } from './create.ts';
import type { SiteDependencies } from './dependencies.ts';
import { listSites } from './list.ts';
import { readSite } from './read.ts';
import { readSiteArchive } from './read-archive.ts';
import { readSiteFile } from './read-file.ts';
import { removeSite } from './remove.ts';
import { replaceSite } from './replace.ts';
import type { SiteResponder } from './respond.ts';

/** Sites of many files (specification, chapter 8). */
export const siteRoutes = (deps: SiteDependencies, responder: SiteResponder) =>
  new Elysia()
    .use(listSites(deps))
    .use(createSite(deps))
    .use(readSite(deps))
    .use(replaceSite(deps))
    .use(removeSite(deps))
    .use(readSiteArchive(deps))
    .use(readSiteFile(deps, responder));
