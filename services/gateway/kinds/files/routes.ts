import { Elysia } from 'elysia';
import * as files from '../../../../shared/contracts/files.ts';
import { limited } from '../../admission/limited.ts';
import { answerRead } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { answerRemoval } from '../../items/removal.ts';
import { listedItem } from '../../items/serializer.ts';
import { json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { BYTE_READ, byteReadResponses, ownerList, removal } from '../../openapi/item-operations.ts';
import { ITEM, MAY_NEED_PASSWORD, parameters, READER } from '../../openapi/parameters.ts';
import { listedSample } from '../../openapi/samples.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { createFileRoute, FILE_SAMPLE, namedFile } from './create.ts';
import type { FileResponder } from './respond.ts';

/** Files (specification, chapter 7). */
export const fileRoutes = (deps: UploadDependencies, responder: FileResponder) =>
  new Elysia()
    .use(listFilesRoute(deps))
    .use(createFileRoute(deps))
    .use(readFileRoute(deps, responder))
    .use(removeFileRoute(deps));

/** Lists the files of an owner (specification 7.4). */
const listFilesRoute = (deps: ReadDependencies) =>
  new Elysia().use(limited(deps)).get(
    '/api/files',
    ({ context }) =>
      answerOwnerList(deps, context, files.listFiles, (file, views) => ({
        ...listedItem('file', file, views, context.baseUrl),
        ...namedFile(file),
        size: file.sizeBytes,
      })),
    {
      detail: documented(
        ownerList(
          {
            operationId: 'listFiles',
            summary: 'List your files',
            description: 'The files that the owner token owns in a namespace.',
            tag: 'Files',
            needs: 'file',
          },
          json('FileList', { files: [{ ...listedSample, ...FILE_SAMPLE, size: 9 }], none: [] }),
        ),
      ),
    },
  );

/** Serves the bytes of a file, with ranges and conditions, without counting a view (specification 7.3). */
const readFileRoute = (deps: ReadDependencies, responder: FileResponder) =>
  new Elysia()
    .use(limited(deps))
    .get(
      '/api/files/:ns/:id',
      ({ context, params }) =>
        answerRead(deps, context, 'file', params, ({ record }) => responder.bytes(context, record)),
      {
        detail: documented({
          operationId: 'readFile',
          summary: 'Download a file',
          description: 'The bytes, as the short URL serves them to programs. Does not count a view.',
          tags: ['Files'],
          security: MAY_NEED_PASSWORD,
          parameters: parameters(...ITEM, ...READER, ...BYTE_READ),
          responses: byteReadResponses('A markdown file', '# Launch\n'),
          'x-example-requests': [
            { summary: 'A file', status: 200, needs: 'file' },
            { summary: 'As a download', status: 200, needs: 'file', query: { dl: '1' } },
            { summary: 'Its first bytes', status: 206, needs: 'file', headers: { Range: 'bytes=0-3' } },
            { summary: 'Unchanged', status: 304, needs: 'file', headers: { 'If-None-Match': '{etag}' } },
            {
              summary: 'Another version than there is',
              status: 412,
              needs: 'file',
              headers: { 'If-Match': '"another"' },
            },
            { summary: 'Behind its end', status: 416, needs: 'file', headers: { Range: 'bytes=90000-' } },
          ],
        }),
      },
    );

/** Removes a file (specification 7.4). */
const removeFileRoute = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .delete('/api/files/:ns/:id', ({ context, params }) => answerRemoval(deps, context, 'file', params), {
      parse: 'none',
      detail: documented(
        removal({
          operationId: 'removeFile',
          summary: 'Delete a file',
          description:
            'Frees the short URL. In `public` it answers 410 from then on, elsewhere 404. With `If-Match` only the file that you have read is deleted: the ETag is that of its bytes.',
          tag: 'Files',
          needs: 'file',
          conditions: ['IfMatch'],
        }),
      ),
    });
