import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as files from '../../../../shared/contracts/files.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange, answerRead } from '../../items/authorize.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { createdItem, listedItem } from '../../items/serializer.ts';
import { documented } from '../../openapi/documented.ts';
import { type CreateHead, openCreate } from '../../uploads/create-request.ts';
import { createdResponse } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { prepareFileCreate, readFileUpload, type UploadedFile } from './input.ts';
import * as operations from './openapi.ts';
import type { FileResponder } from './respond.ts';

type File = Static<typeof files.FileItem>;

/** Files (specification, chapter 7). */
export function fileRoutes(deps: UploadDependencies, responder: FileResponder) {
  const { bus } = deps;
  const { baseUrl } = deps.config;

  const listed = (file: File, views: number) => ({
    ...listedItem('file', file, views, baseUrl),
    ...namedFile(file),
    size: file.sizeBytes,
  });

  return new Elysia({ prefix: '/api/files' })
    .use(limited(deps))
    .get('', ({ context }) => answerOwnerList(deps, context, files.listFiles, listed), {
      detail: documented(operations.list),
    })
    .post(
      '',
      async ({ context }) => {
        const head = openCreate(context);
        return await publishFile(deps, context, head, await readFileUpload(deps, context));
      },
      { limit: 'uploads', parse: 'none', detail: documented(operations.upload) },
    )
    .get(
      '/:ns/:id',
      async ({ context, params }) => {
        return await answerRead(deps, context, 'file', params, ({ record }) =>
          responder.bytes(context, record),
        );
      },
      { detail: documented(operations.read) },
    )
    .delete(
      '/:ns/:id',
      async ({ context, params }) => {
        const { owned } = await admitChange(deps, context, 'file', params);
        await call(bus, files.removeFile, owned, context.callContext);
        return new Response(null, { status: 204 });
      },
      { parse: 'none', detail: documented(operations.remove) },
    );
}

/** Checks a file that has arrived, here or as a body of POST /api/html (specification 4.3), and publishes it. */
export async function publishFile(
  deps: UploadDependencies,
  context: RequestContext,
  head: CreateHead,
  upload: UploadedFile,
): Promise<Response> {
  const { input, ownerTokenOf } = await prepareFileCreate(deps, context, head, upload);
  const { item, idempotencySalt } = await call(deps.bus, files.createFile, input, context.callContext);
  const created = {
    ...createdItem('file', item, ownerTokenOf({ idempotencySalt }), deps.config.baseUrl),
    ...namedFile(item),
  };
  return createdResponse(context, 'file', created, false);
}

const namedFile = ({ content: { filename, contentType } }: File) => ({ filename, contentType });
