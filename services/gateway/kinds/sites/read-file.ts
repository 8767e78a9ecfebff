import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import { answerRead } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { decodedPart } from '../../items/item-address.ts';
import { BYTE_READ, byteReadResponses } from '../../openapi/byte-reads.ts';
import { documented } from '../../openapi/documented.ts';
import { ITEM, MAY_NEED_PASSWORD, parameters, READER } from '../../openapi/parameters.ts';
import type { SiteResponder } from './respond.ts';

/** Serves one file of a site, with ranges and conditions (specification 8.3). */
export const readSiteFile = (deps: ReadDependencies, responder: SiteResponder) =>
  new Elysia().use(limited(deps)).get(
    '/api/sites/:ns/:id/files/*',
    ({ context, params }) =>
      answerRead(deps, context, 'site', params, ({ record }) =>
        // Behind a wildcard the path stays encoded.
        responder.file(context, record, decodedPart(params['*'])),
      ),
    {
      detail: documented({
        operationId: 'readSiteFile',
        summary: 'Download a file of a site',
        description: 'The bytes. Does not count a view.',
        tags: ['Sites'],
        security: MAY_NEED_PASSWORD,
        parameters: parameters(...ITEM, 'FilePath', ...READER, ...BYTE_READ),
        responses: byteReadResponses('A stylesheet', 'h1 { color: teal }\n'),
        'x-example-requests': [
          { summary: 'The entry', status: 200, needs: 'site', path: { filePath: 'index.html' } },
          { summary: 'In a folder', status: 200, needs: 'site', path: { filePath: 'assets/site.css' } },
          {
            ...{ summary: 'As a download', status: 200, needs: 'site', query: { dl: '1' } },
            path: { filePath: 'assets/site.css' },
          },
          {
            ...{ summary: 'Its first bytes', status: 206, needs: 'site', path: { filePath: 'index.html' } },
            headers: { Range: 'bytes=0-14' },
          },
        ],
      }),
    },
  );
