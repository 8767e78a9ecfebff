import { text } from '../../openapi/answers.ts';
import { inPlace } from '../../openapi/documented.ts';
import { headers } from '../../openapi/headers.ts';
import type { Operation, Paths } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';

/** The path of a file that is named as the IndexNow key's is (indexnow.org), in letters, digits and hyphens; as all addresses also with a slash behind. */
const KEY_FILE = /^\/([A-Za-z0-9-]{1,128})\.txt\/?$/;

const answerOf = (status: number, body: string): Response =>
  new Response(body, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' },
  });

/**
 * Answers for the file by which search engines see that announcements come from this service (specification 19.3): the
 * key, or 404 in text. `null` for a path that is none of such a file.
 */
export function answerKeyFile(path: string, key: string | null): Response | null {
  const [, asked = null] = KEY_FILE.exec(path) ?? [];
  if (asked === null) return null;
  return asked === key ? answerOf(200, key) : answerOf(404, 'There is no such file.\n');
}

const READ_KEY: Operation = {
  operationId: 'readIndexNowKey',
  summary: "The IndexNow key's file",
  description:
    'By which search engines see that announcements of new and changed public items come from this server: the key, where its operator has set one and it is this one, else 404 as text.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('IndexNowKey'),
  responses: {
    '200': {
      description: 'The key.',
      headers: headers(['Cache-Control'], ['Vary', 'Content-Encoding']),
      content: text('text/plain', 'example-index-now-key', 'key'),
    },
    '404': {
      description: 'There is no such key.',
      headers: headers(['Cache-Control']),
      content: text('text/plain', 'There is no such file.\n', 'none'),
    },
    ...failures([], { local: true }),
  },
  'x-example-requests': [
    { summary: 'The key', status: 200, path: { key: 'example-index-now-key' } },
    { summary: 'Another', status: 404, path: { key: 'another-key-than-it' } },
  ],
};

/** The file's address, which is no route of the app: it may have any name. */
export const KEY_FILES: Paths = { '/{key}.txt': { get: inPlace(READ_KEY) } };
