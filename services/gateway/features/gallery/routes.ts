import { Elysia } from 'elysia';
import { callToRead } from '../../../../shared/contracts/call-to-read.ts';
import { type GalleryItem, listGallery } from '../../../../shared/contracts/gallery.ts';
import type { Kind } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import { numberedPage, windowOf } from '../../http/numbered-page.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { currentViews } from '../../items/current-views.ts';
import { instant, itemLinks } from '../../items/serializer.ts';
import { documented } from '../../openapi/documented.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import * as operations from './openapi.ts';
import { type GalleryQuery, parseGalleryQuery } from './query.ts';

/** What is public, for programs (specification 13.1). */
export function galleryRoutes(deps: UploadDependencies) {
  const answer = async (context: RequestContext, only: Kind | null): Promise<Response> => {
    const issues = collectIssues();
    const query = parseGalleryQuery(context.query(), only, issues);
    issues.throwIfAny();
    const gallery = await readGallery(deps, context, query);
    return Response.json(gallery, { headers: { 'Cache-Control': 'no-cache' } });
  };

  return new Elysia({ prefix: '/api/gallery' })
    .use(limited(deps))
    .get('', ({ context }) => answer(context, null), { limit: 'reads', detail: documented(operations.all) })
    .get('/pages', ({ context }) => answer(context, 'html'), {
      limit: 'reads',
      detail: documented(operations.pages),
    })
    .get('/files', ({ context }) => answer(context, 'file'), {
      limit: 'reads',
      detail: documented(operations.files),
    });
}

/** A page of the gallery, with the views of this moment. */
export async function readGallery(
  { bus, cache, config }: Pick<UploadDependencies, 'bus' | 'cache' | 'config'>,
  { callContext }: Pick<RequestContext, 'callContext'>,
  { page, size, ...filter }: GalleryQuery,
) {
  const { items, total } = await callToRead(
    bus,
    listGallery,
    { ...filter, ...windowOf({ page, size }) },
    callContext,
  );
  const views = await currentViews(cache, items);
  const listed = items.map((item, index) => listedInGallery(item, views[index] ?? 0, config.baseUrl));
  return numberedPage(listed, total, { page, size });
}

/** An item of the gallery. One without a title goes by its id. */
function listedInGallery(item: GalleryItem, views: number, baseUrl: string) {
  const { namespace, id, kind, title, tags, sizeBytes, createdAt, expiresAt } = item;
  const { url, shortUrl } = itemLinks(kind, item, baseUrl);
  return {
    ...{ namespace, id, type: kind, title: title === '' ? id : title, tags, url, shortUrl, sizeBytes, views },
    ...{ createdAt: instant(createdAt), expiresAt: instant(expiresAt) },
  };
}
