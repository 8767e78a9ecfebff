import { Elysia } from 'elysia';
import type { GatewayDependencies } from '../dependencies.ts';
import { exchangeOf } from '../http/exchange.ts';
import { servicePage } from '../http/service-page.ts';
import { docsPage } from '../pages/docs-page.ts';
import { docsPagePolicy } from '../pages/docs-page-policy.ts';
import { fixedBody, fixedResponse } from '../web/fixed-body.ts';
import { loadOnce } from '../web/load-once.ts';

/** The interface, documented: for people, and as OpenAPI. The document is made when it is first asked for. */
export function docsRoutes({ config }: Pick<GatewayDependencies, 'config'>) {
  const page = docsPage();
  const document = loadOnce(async () => {
    const { openApiDocument } = await import('../openapi/document.ts');
    return fixedBody(Buffer.from(JSON.stringify(openApiDocument(config))), 'application/json');
  });

  return new Elysia()
    .get('/docs', ({ request }) => {
      const policy = docsPagePolicy(request.headers.get('host'), config.baseUrl);
      return servicePage(exchangeOf(request), page, { headers: { 'Content-Security-Policy': policy } });
    })
    .get('/docs/json', async ({ request }) => fixedResponse(request, await document(), 'no-cache'));
}
