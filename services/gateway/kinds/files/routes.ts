import { Elysia } from 'elysia';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { createFile } from './create.ts';
import { listFiles } from './list.ts';
import { readFile } from './read.ts';
import { removeFile } from './remove.ts';
import type { FileResponder } from './respond.ts';

/** Files (specification, chapter 7). */
export const fileRoutes = (deps: UploadDependencies, responder: FileResponder) =>
  new Elysia()
    .use(listFiles(deps))
    .use(createFile(deps))
    .use(readFile(deps, responder))
    .use(removeFile(deps));
