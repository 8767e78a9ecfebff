import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import { documented } from '../../openapi/documented.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { findAsset } from '../../web/assets.ts';
import { fixedResponse } from '../../web/fixed-body.ts';
import { homePage } from './home-page.ts';
import * as operations from './openapi.ts';

/** The service's own page and the files its pages use. */
export function webRoutes(deps: UploadDependencies) {
  const { config } = deps;
  return new Elysia()
    .use(limited(deps))
    .get('/', ({ context }) => servicePage(context, homePage({ baseUrl: config.baseUrl })), {
      detail: documented(operations.home, 'page'),
    })
    .get(
      '/favicon.ico',
      () => new Response(null, { status: 302, headers: { Location: '/assets/favicon.svg' } }),
      { detail: documented(operations.favicon, 'static') },
    )
    .get(
      '/assets/:name',
      async ({ request, params: { name } }) => {
        const asset = await findAsset(name);
        if (asset === null) throw errors.routeNotFound(`/assets/${name.slice(0, 100)}`);
        // Its address is the same in the next release, whose pages must not run this one's scripts.
        return await fixedResponse(request, asset, 'no-cache');
      },
      { detail: documented(operations.asset, 'static') },
    );
}
