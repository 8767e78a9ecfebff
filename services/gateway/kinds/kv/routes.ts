import { Elysia } from 'elysia';
import { changeKeyRoutes } from './change-key.ts';
import { createKvRoute } from './create.ts';
import type { StoreDependencies } from './dependencies.ts';
import { readKeyRoute } from './read-key.ts';
import { storeRoutes } from './stores.ts';
import { writeKeyRoutes } from './write-key.ts';

/** Key-value stores (specification, chapter 5). */
export const kvRoutes = (deps: StoreDependencies) =>
  new Elysia()
    .use(storeRoutes(deps))
    .use(createKvRoute(deps))
    .use(readKeyRoute(deps))
    .use(writeKeyRoutes(deps))
    .use(changeKeyRoutes(deps));
