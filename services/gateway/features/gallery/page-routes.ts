import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { galleryPage } from './gallery-page.ts';
import { PICTURES, pictureOf } from './pictures.ts';
import { CARDS, parseGalleryQuery } from './query.ts';
import { readGallery } from './routes.ts';

const SHOW_GALLERY: Operation = {
  operationId: 'showGallery',
  summary: 'The gallery for people',
  description:
    'A page that searches as you type, and a form where there are no scripts. It takes what `/api/gallery` takes, but has 24 items on a page unless `size` says otherwise.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('GallerySearch', 'Kind', 'Tag', 'GallerySort', 'Page', 'GalleryCards'),
  responses: {
    '200': ownPage('The page.', 'Gallery · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures(['VALIDATION_FAILED', 'RATE_LIMITED'], { page: true }),
  },
  'x-example-requests': [
    { summary: 'The newest items', status: 200, needs: 'page' },
    { summary: 'A search among files', status: 200, query: { q: 'launch', kind: 'file' } },
  ],
};

/** The gallery for people; it takes what `/api/gallery` takes. */
export function galleryPageRoutes(deps: UploadDependencies) {
  const { clock, config } = deps;
  return new Elysia().use(limited(deps)).get(
    '/gallery',
    async ({ context }) => {
      const issues = collectIssues();
      const view = parseGalleryQuery(context.query(), null, issues, CARDS);
      issues.throwIfAny();
      const { gallery, listed } = await readGallery(deps, context, view);
      const { total, pages } = gallery;
      const items = gallery.items.map((item, index) => {
        const found = listed[index];
        return { ...item, picture: found === undefined ? null : pictureOf(found, config.cookieSecret) };
      });
      const now = new Date(clock.now());
      const { baseUrl, language } = context;
      return servicePage(context, galleryPage({ view, items, total, pages, now, baseUrl, language }), {
        pictures: PICTURES,
      });
    },
    { limit: 'reads', detail: documented(SHOW_GALLERY, 'page') },
  );
}
