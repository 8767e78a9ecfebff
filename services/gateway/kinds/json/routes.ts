import { Elysia } from 'elysia';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { createJson } from './create.ts';
import { listJson } from './list.ts';
import { readJson } from './read.ts';
import { removeJson } from './remove.ts';
import { updateJson } from './update.ts';

/** JSON documents (specification, chapter 6). */
export const jsonRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(listJson(deps))
    .use(createJson(deps))
    .use(readJson(deps))
    .use(updateJson(deps))
    .use(removeJson(deps));
