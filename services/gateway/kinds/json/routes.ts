import { Elysia } from 'elysia';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { removeJson, updateJson } from './change.ts';
import { createJson } from './create.ts';
import { listJson, readJson } from './read.ts';

/** JSON documents (specification, chapter 6). */
export const jsonRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(listJson(deps))
    .use(createJson(deps))
    .use(readJson(deps))
    .use(updateJson(deps))
    .use(removeJson(deps));
