import { Elysia } from 'elysia';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { appendToKey, incrementKey } from './change-key.ts';
import { createKv } from './create.ts';
import { readKey } from './read-key.ts';
import { listKv, readKv, removeKv } from './stores.ts';
import { putKey, removeKey } from './write-key.ts';

/** Key-value stores (specification, chapter 5). */
export const kvRoutes = (deps: UploadDependencies) =>
  new Elysia()
    .use(listKv(deps))
    .use(createKv(deps))
    .use(readKv(deps))
    .use(removeKv(deps))
    .use(readKey(deps))
    .use(putKey(deps))
    .use(incrementKey(deps))
    .use(appendToKey(deps))
    .use(removeKey(deps));
