import { Elysia } from 'elysia';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { changeJsonRoutes } from './change.ts';
import { createJsonRoute } from './create.ts';
import { readJsonRoutes } from './read.ts';

/** JSON documents (specification, chapter 6). */
export const jsonRoutes = (deps: UploadDependencies) =>
  new Elysia().use(readJsonRoutes(deps)).use(createJsonRoute(deps)).use(changeJsonRoutes(deps));
