import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { countListed, walkListed } from '../../../../shared/contracts/gallery.ts';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import { parseCount } from '../../http/numbered-page.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { fixedBody, fixedResponse } from '../../web/fixed-body.ts';
import * as operations from './openapi.ts';
import { robotsFile } from './robots.ts';
import { createSitemap } from './sitemap.ts';

/** More than there can be: fifty million addresses. */
const MAX_PART = 1_000;
const SITEMAP_KEPT_MS = 60_000;

/** What search engines ask for (specification 19.1). */
export function searchEngineRoutes(deps: UploadDependencies) {
  const { bus, config } = deps;
  const { baseUrl } = config;
  const robots = fixedBody(Buffer.from(robotsFile(baseUrl)), 'text/plain; charset=utf-8');
  const sitemap = createSitemap(
    {
      count: async (context) => (await call(bus, countListed, {}, context)).total,
      walk: async (range, context) => (await call(bus, walkListed, range, context)).items,
    },
    {
      ...{ baseUrl, itemsUrl: config.contentBaseUrl ?? baseUrl },
      ...{ urlsPerFile: 50_000, keptMs: SITEMAP_KEPT_MS },
    },
  );

  return (
    new Elysia()
      .use(limited(deps))
      // Not limited: to a crawler a refusal here would mean that nothing may be read.
      .get('/robots.txt', ({ request }) => fixedResponse(request, robots, 'public, max-age=3600'), {
        detail: documented(operations.robots, 'text'),
      })
      .get(
        '/sitemap.xml',
        async ({ context, request }) => {
          const issues = collectIssues();
          const part = parseCount(context.query(), 'part', MAX_PART, issues);
          issues.throwIfAny();
          const file = await sitemap.file(part, context.callContext);
          if (file === null) throw errors.routeNotFound(`/sitemap.xml?part=${part}`);
          return await fixedResponse(request, file, 'public, max-age=600');
        },
        { limit: 'reads', detail: documented(operations.sitemap, 'text') },
      )
  );
}
