import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { documented } from '../../openapi/documented.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { galleryPage } from './gallery-page.ts';
import * as operations from './page-openapi.ts';
import { parseGalleryQuery } from './query.ts';
import { readGallery } from './routes.ts';

/** Whole rows, however many cards stand side by side. */
const CARDS = 24;

/** The gallery for people; it takes what `/api/gallery` takes, but has pages of its own size. */
export function galleryPageRoutes(deps: UploadDependencies) {
  const { clock, config } = deps;
  return new Elysia().use(limited(deps)).get(
    '/gallery',
    async ({ context }) => {
      const issues = collectIssues();
      const view = parseGalleryQuery(context.query(), null, issues);
      issues.throwIfAny();
      const { items, total, pages } = await readGallery(deps, context, { ...view, size: CARDS });
      const now = new Date(clock.now());
      return servicePage(context, galleryPage({ view, items, total, pages, now, baseUrl: config.baseUrl }));
    },
    { limit: 'reads', detail: documented(operations.show, 'page') },
  );
}
