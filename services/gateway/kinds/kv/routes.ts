import { Elysia } from 'elysia';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { changeKeyRoutes } from './change-key.ts';
import { createKv } from './create.ts';
import { readKey } from './read-key.ts';
import { storeRoutes } from './stores.ts';
import { writeKeyRoutes } from './write-key.ts';

/** Key-value stores (specification, chapter 5). */
export const kvRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(storeRoutes(deps))
    .use(createKv(deps))
    .use(readKey(deps))
    .use(writeKeyRoutes(deps))
    .use(changeKeyRoutes(deps));
