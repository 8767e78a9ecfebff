import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import { answerRead } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { BYTE_READ, byteReadResponses } from '../../openapi/byte-reads.ts';
import { documented } from '../../openapi/documented.ts';
import { ITEM, MAY_NEED_PASSWORD, parameters, READER } from '../../openapi/parameters.ts';
import type { FileResponder } from './respond.ts';

/** Serves the bytes of a file, with ranges and conditions, without counting a view (specification 7.3). */
export const readFile = (deps: ReadDependencies, responder: FileResponder) =>
  new Elysia()
    .use(limited(deps))
    .get(
      '/api/files/:ns/:id',
      async ({ context, params }) =>
        await answerRead(deps, context, 'file', params, ({ record }) => responder.bytes(context, record)),
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
              ...{ summary: 'Another version than there is', status: 412, needs: 'file' },
              headers: { 'If-Match': '"another"' },
            },
            { summary: 'Behind its end', status: 416, needs: 'file', headers: { Range: 'bytes=90000-' } },
          ],
        }),
      },
    );
