import { Elysia } from 'elysia';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { createHtml, type PublishFile } from './create.ts';
import { listHtml } from './list.ts';
import { previewHtml } from './preview.ts';
import { type PageResponder, readHtml } from './read.ts';
import { removeHtml } from './remove.ts';
import { readSettings, readSource } from './settings.ts';
import { updateHtml } from './update.ts';

/** HTML, markdown and text pages (specification, chapter 4). */
export const htmlRoutes = (deps: UploadDependencies, responder: PageResponder, publishFile: PublishFile) =>
  new Elysia()
    .use(listHtml(deps))
    .use(createHtml(deps, publishFile))
    .use(previewHtml(deps))
    .use(readHtml(deps, responder))
    .use(updateHtml(deps))
    .use(removeHtml(deps))
    .use(readSettings(deps))
    .use(readSource(deps));
