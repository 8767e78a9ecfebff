import { Elysia } from 'elysia';
import { requestContextOf } from '../../http/request-context.ts';
import type { LoadDocument } from '../../openapi/api-document.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { fixedBody, fixedResponse } from '../../web/fixed-body.ts';
import { loadOnce } from '../../web/load-once.ts';
import { docsPage } from './docs-page.ts';
import { docsPagePolicy } from './docs-page-policy.ts';

/** The interface, documented: for people, and as OpenAPI. The document is made when it is first asked for. */
export function docsRoutes({ config }: Pick<UploadDependencies, 'config'>, loadDocument: LoadDocument) {
  const page = docsPage();
  const document = loadOnce(async () => {
    return fixedBody(Buffer.from(JSON.stringify(await loadDocument())), 'application/json');
  });

  return new Elysia()
    .get('/docs', ({ request }) => {
      const policy = docsPagePolicy(request.headers.get('host'), config.baseUrl);
      return servicePage(requestContextOf(request), page, { headers: { 'Content-Security-Policy': policy } });
    })
    .get('/docs/json', async ({ request }) => fixedResponse(request, await document(), 'no-cache'));
}
