import { Elysia } from 'elysia';
import { changeKeyRoutes } from './change-key.ts';
import { createKv } from './create.ts';
import type { StoreDependencies } from './dependencies.ts';
import { readKeyRoutes } from './read-key.ts';
import { storeRoutes } from './stores.ts';
import { writeKeyRoutes } from './write-key.ts';

/** Key-value stores (specification, chapter 5). */
export const kvRoutes = (deps: StoreDependencies) =>
  new Elysia()
    .use(storeRoutes(deps))
    .use(createKv(deps))
    .use(readKeyRoutes(deps))
    .use(writeKeyRoutes(deps))
    .use(changeKeyRoutes(deps));
