import { Elysia } from 'elysia';
import { requestContextOf } from '../../http/request-context.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { namesLike, randomNames } from './candidates.ts';
import { findUnused } from './find-unused.ts';
import { slugOf } from './slug.ts';

const SUGGESTIONS = 5;
const headers = { 'Cache-Control': 'no-store' };

/** Names for namespaces that nobody uses yet (specification, chapter 16). */
export function namespaceRoutes({ bus, limits }: UploadDependencies) {
  return new Elysia({ prefix: '/api/namespace' })
    .get('/random', async ({ request }) => {
      const context = requestContextOf(request);
      await limits.admit(context, 'reads');
      const [namespace] = await findUnused(bus, context.callContext, 1, randomNames);
      return Response.json({ namespace }, { headers });
    })
    .get('/suggest', async ({ request }) => {
      const context = requestContextOf(request);
      await limits.admit(context, 'reads');
      const slug = slugOf(context.query().get('q') ?? '');
      const propose = (count: number) => namesLike(slug, count);
      const suggestions = await findUnused(bus, context.callContext, SUGGESTIONS, propose);
      return Response.json({ suggestions }, { headers });
    });
}
