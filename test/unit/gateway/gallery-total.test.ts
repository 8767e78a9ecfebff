import { expect, test } from 'bun:test';
import pino from 'pino';
import { galleryPage } from '../../../services/gateway/features/gallery/gallery-page.ts';
import { answerGallery } from '../../../services/gateway/features/gallery/routes.ts';
import type { UploadDependencies } from '../../../services/gateway/uploads/dependencies.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { listGallery } from '../../../shared/contracts/gallery.ts';
import type { ReplyOf } from '../../../shared/contracts/operation.ts';
import { handler, serve } from '../../../shared/contracts/serve.ts';
import { contextWith } from './request-context.ts';

/** The gallery's answer to a program when `content` found this. */
async function answerTo(found: ReplyOf<typeof listGallery>): Promise<unknown> {
  const bus = createInProcessBus({ maxPayloadBytes: 1_048_576 });
  await serve(bus, 'test', [handler(listGallery, async () => found)], pino({ level: 'silent' }));
  const deps = { bus, cache: { viewsOf: async () => [] } } as unknown as UploadDependencies;
  const context = contextWith(null, {});
  Object.assign(context, { search: 'q=frequent' });
  return await (await answerGallery(deps, context, null)).json();
}

test('a program is told when a total is a lower bound, and nothing where it is exact, as by an older service', async () => {
  const page = { items: [], total: 500, page: 1, size: 20, pages: 25 };
  expect(await answerTo({ items: [], total: 500, totalIsLowerBound: true })).toEqual({
    ...page,
    totalIsLowerBound: true,
  });
  expect(await answerTo({ items: [], total: 500, totalIsLowerBound: false })).toEqual(page);
  expect(await answerTo({ items: [], total: 500 })).toEqual(page);
});

test('people are told in their language', () => {
  const view = { search: 'frequent', kind: null, tag: null, sort: 'date', page: 1, size: 24 } as const;
  const shown = (language: 'en' | 'de', totalIsLowerBound: boolean): string =>
    galleryPage({
      view,
      items: [],
      total: 1_500,
      totalIsLowerBound,
      pages: 63,
      now: new Date(0),
      baseUrl: 'https://p.example',
      language,
    });
  expect(shown('en', true)).toContain('At least 1,500 items match “frequent”');
  expect(shown('en', false)).not.toContain('At least');
  expect(shown('de', true)).toContain('Mindestens 1.500 Einträge zu „frequent“');
});
