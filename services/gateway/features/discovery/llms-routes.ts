import { Elysia } from 'elysia';
import type { LoadDocument } from '../../openapi/api-document.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { fixedBody, fixedResponse } from '../../web/fixed-body.ts';
import { loadOnce } from '../../web/load-once.ts';
import { shortFile } from './llms/short-file.ts';
import * as operations from './llms-openapi.ts';

const TEXT = 'text/plain; charset=utf-8';

/** The interface for language models: what to know first, and all of it, made when it is first asked for. */
export function llmsRoutes({ config }: Pick<UploadDependencies, 'config'>, loadDocument: LoadDocument) {
  const short = fixedBody(Buffer.from(shortFile(config.baseUrl)), TEXT);
  const whole = loadOnce(async () => {
    const { wholeFile } = await import('./llms/whole-file.ts');
    return fixedBody(Buffer.from(wholeFile(await loadDocument(), config)), TEXT);
  });

  return new Elysia()
    .get('/llms.txt', ({ request }) => fixedResponse(request, short, 'no-cache'), {
      detail: documented(operations.short, 'text'),
    })
    .get('/llms-full.txt', async ({ request }) => fixedResponse(request, await whole(), 'no-cache'), {
      detail: documented(operations.whole, 'text'),
    });
}
