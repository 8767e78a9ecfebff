import { Elysia } from 'elysia';
import * as sites from '../../../../shared/contracts/site.ts';
import { limited } from '../../admission/limited.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ownerList } from '../../openapi/item-operations.ts';
import { listedSample } from '../../openapi/samples.ts';
import { listedSite } from './serializer.ts';
import { SITE_SAMPLE } from './upload-form.ts';

/** Lists the sites of an owner (specification 8.5). */
export const listSites = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .get(
      '/api/sites',
      ({ context }) =>
        answerOwnerList(deps, context, sites.listSites, (site, views) =>
          listedSite(site, views, context.baseUrl),
        ),
      {
        detail: documented(
          ownerList(
            {
              operationId: 'listSites',
              summary: 'List your sites',
              description: 'The sites that the owner token owns in a namespace.',
              tag: 'Sites',
              needs: 'site',
            },
            json('SiteList', { sites: [{ ...listedSample, ...SITE_SAMPLE }], none: [] }),
          ),
        ),
      },
    );
