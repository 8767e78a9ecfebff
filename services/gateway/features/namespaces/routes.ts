import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { namesLike, randomNames } from './candidates.ts';
import { findUnused } from './find-unused.ts';
import * as operations from './openapi.ts';
import { slugOf } from './slug.ts';

const SUGGESTIONS = 5;
const headers = { 'Cache-Control': 'no-store' };

/** Names for namespaces that nobody uses yet (specification, chapter 16). */
export function namespaceRoutes(deps: UploadDependencies) {
  const { bus } = deps;
  return new Elysia({ prefix: '/api/namespace' })
    .use(limited(deps))
    .get(
      '/random',
      async ({ context }) => {
        const [namespace] = await findUnused(bus, context.callContext, 1, randomNames);
        return Response.json({ namespace }, { headers });
      },
      { limit: 'reads', detail: documented(operations.random) },
    )
    .get(
      '/suggest',
      async ({ context }) => {
        const slug = slugOf(context.query().get('q') ?? '');
        const propose = (count: number) => namesLike(slug, count);
        const suggestions = await findUnused(bus, context.callContext, SUGGESTIONS, propose);
        return Response.json({ suggestions }, { headers });
      },
      { limit: 'reads', detail: documented(operations.suggest) },
    );
}
