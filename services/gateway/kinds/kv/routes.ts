import { Elysia } from 'elysia';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { appendToKey } from './append.ts';
import { createKv } from './create.ts';
import { incrementKey } from './increment.ts';
import { listKv } from './list.ts';
import { putKey } from './put-key.ts';
import { readKv } from './read.ts';
import { readKey } from './read-key.ts';
import { removeKv } from './remove.ts';
import { removeKey } from './remove-key.ts';

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
