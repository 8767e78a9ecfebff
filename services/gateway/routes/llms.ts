import { Elysia } from 'elysia';
import type { GatewayDependencies } from '../dependencies.ts';
import { shortFile } from '../language-models/short-file.ts';
import { type FixedBody, fixedBody, fixedResponse } from '../web/fixed-body.ts';

const TEXT = 'text/plain; charset=utf-8';

/** The interface for language models: what to know first, and all of it, made when it is first asked for. */
export function llmsRoutes({ config }: Pick<GatewayDependencies, 'config'>) {
  const short = fixedBody(Buffer.from(shortFile(config.baseUrl)), TEXT);
  let whole: Promise<FixedBody> | null = null;

  const makeWhole = async (): Promise<FixedBody> => {
    const { openApiDocument } = await import('../openapi/document.ts');
    const { wholeFile } = await import('../language-models/whole-file.ts');
    return fixedBody(Buffer.from(wholeFile(openApiDocument(config.baseUrl), config)), TEXT);
  };

  return new Elysia()
    .get('/llms.txt', ({ request }) => fixedResponse(request, short, 'no-cache'))
    .get('/llms-full.txt', async ({ request }) => {
      whole ??= makeWhole().catch((error: unknown) => {
        whole = null;
        throw error;
      });
      return await fixedResponse(request, await whole, 'no-cache');
    });
}
