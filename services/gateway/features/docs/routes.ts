import { swagger } from '@elysiajs/swagger';
import { Elysia } from 'elysia';
import { requestScope } from '../../http/request-context.ts';
import type { ApiDocument } from '../../openapi/api-document.ts';
import { documented } from '../../openapi/documented.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { type FixedBody, fixedBody, fixedResponse } from '../../web/fixed-body.ts';
import { docsPage } from './docs-page.ts';
import { docsPagePolicy } from './docs-page-policy.ts';
import { showDocs } from './openapi.ts';

/** Where @elysiajs/swagger serves the document. */
export const DOCUMENT_PATH = '/docs/json';

/**
 * The interface, documented: as OpenAPI, made by @elysiajs/swagger from what the routes declare, and as a page. The page
 * of the plugin loads its scripts from elsewhere; ours, which takes its place, has them from `/assets`.
 */
export function docsRoutes({ config }: Pick<UploadDependencies, 'config'>, documentation: ApiDocument) {
  const page = docsPage();
  let made: FixedBody | null = null;

  return new Elysia()
    .onAfterHandle(({ path, request, response }) => {
      if (path !== DOCUMENT_PATH) return;
      made ??= fixedBody(Buffer.from(JSON.stringify(response)), 'application/json');
      return fixedResponse(request, made, 'no-cache');
    })
    .use(
      swagger({
        ...{ path: '/docs', specPath: DOCUMENT_PATH, provider: 'swagger-ui', excludeStaticFile: false },
        documentation: documentation as never,
      }),
    )
    .use(requestScope)
    .get(
      '/docs',
      ({ context, request }) => {
        const policy = docsPagePolicy(request.headers.get('host'), config.baseUrl);
        return servicePage(context, page, { headers: { 'Content-Security-Policy': policy } });
      },
      { detail: documented(showDocs, 'page') },
    );
}
