import { Elysia } from 'elysia';
import { errors } from '../../../shared/errors.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { matchesEtag } from '../http/conditional.ts';
import { servicePage } from '../http/service-page.ts';
import { homePage } from '../pages/home-page.ts';
import { assets } from '../web/assets.ts';

/** The service's own page and the files its pages use. */
export function webRoutes({ config }: GatewayDependencies) {
  return new Elysia()
    .get('/', ({ request }) => servicePage(request, homePage({ baseUrl: config.baseUrl })))
    .get(
      '/favicon.ico',
      () => new Response(null, { status: 302, headers: { Location: '/assets/favicon.svg' } }),
    )
    .get('/assets/:name', ({ request, params: { name } }) => {
      const asset = assets.get(name);
      if (asset === undefined) throw errors.routeNotFound(`/assets/${name.slice(0, 100)}`);
      const headers = {
        'Content-Type': asset.contentType,
        ETag: asset.etag,
        'Cache-Control': 'public, max-age=300',
      };
      if (matchesEtag(request.headers.get('if-none-match'), asset.etag)) {
        return new Response(null, { status: 304, headers });
      }
      return new Response(asset.bytes, { headers });
    });
}
