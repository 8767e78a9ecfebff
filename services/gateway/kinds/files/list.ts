import { Elysia } from 'elysia';
import * as files from '../../../../shared/contracts/files.ts';
import { limited } from '../../admission/limited.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { listedItem } from '../../items/serializer.ts';
import { json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ownerList } from '../../openapi/item-operations.ts';
import { listedSample } from '../../openapi/samples.ts';
import { FILE_SAMPLE, namedFile } from './create.ts';

/** Lists the files of an owner (specification 7.4). */
export const listFiles = (deps: ReadDependencies) =>
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
