import { Elysia } from 'elysia';
import type { GatewayDependencies } from '../../dependencies.ts';
import { shortFile } from './llms/short-file.ts';
import { fixedBody, fixedResponse } from '../../web/fixed-body.ts';
import { loadOnce } from '../../web/load-once.ts';

const TEXT = 'text/plain; charset=utf-8';

/** The interface for language models: what to know first, and all of it, made when it is first asked for. */
export function llmsRoutes({ config }: Pick<GatewayDependencies, 'config'>) {
  const short = fixedBody(Buffer.from(shortFile(config.baseUrl)), TEXT);
  const whole = loadOnce(async () => {
    const { openApiDocument } = await import('../../document.ts');
    const { wholeFile } = await import('./llms/whole-file.ts');
    return fixedBody(Buffer.from(wholeFile(openApiDocument(config), config)), TEXT);
  });

  return new Elysia()
    .get('/llms.txt', ({ request }) => fixedResponse(request, short, 'no-cache'))
    .get('/llms-full.txt', async ({ request }) => fixedResponse(request, await whole(), 'no-cache'));
}
