import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { isLive } from '../../../../shared/items/item-record.ts';
import { contentParts } from '../../../../shared/scanning/content-parts.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { bytes, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ITEM } from '../../openapi/parameters.ts';
import { type AdminDependencies, admitted } from './admitted.ts';
import { operatorOperation } from './operation.ts';

const READ_BYTES = operatorOperation({
  operationId: 'readItemBytes',
  summary: 'The bytes of an item, for the operator',
  description:
    'As a download that no browser opens, whatever they are: also those of an item that is hidden, protected or in quarantine. Of a site `part` names the file; stores have none.',
  parameters: [...ITEM, 'PartOfSite'],
  responses: {
    '200': ok('The bytes.', bytes('application/octet-stream', 'bytes', 'What was uploaded'), [
      ['Cache-Control', 'Content-Disposition'],
      ['Content-Security-Policy'],
    ]),
  },
  errors: ['NOT_FOUND'],
  'x-example-requests': [
    { summary: 'A page', status: 200, needs: 'html' },
    { summary: 'Without the password', status: 401, needs: 'html' },
  ],
});

/** The bytes of an item, for the operator (specification 18.12). */
export const itemBytesRoutes = (deps: AdminDependencies) =>
  new Elysia()
    .use(admitted(deps))
    .get(
      '/api/admin/items/:ns/:id/bytes',
      ({ context, params }) => answerBytes(deps, context, itemNamed(params)),
      { detail: documented(READ_BYTES, 'operator') },
    );

/** The bytes of an item or of one file of a site, so that nothing opens them. */
async function answerBytes(
  { lookup, blobs, clock }: AdminDependencies,
  context: RequestContext,
  { namespace, id }: { namespace: string; id: string },
): Promise<Response> {
  const { record } = await lookup.find({ namespace, id }, context.callContext);
  if (!isLive(record, clock.now())) throw errors.contentNotFound(namespace, id);
  context.item = record;
  const wanted = context.query().get('part');
  const parts = await contentParts(blobs, record.kind, record.content);
  const part = parts.find(({ path }) => path === null || path === wanted);
  if (part === undefined) throw errors.siteFileNotFound(namespace, id, wanted ?? '');
  const pieces = part.read()[Symbol.asyncIterator]();
  const first = await pieces.next();
  const body = new ReadableStream<Uint8Array>({
    start: (out) => (first.done === true ? out.close() : out.enqueue(first.value)),
    async pull(out) {
      const { done, value } = await pieces.next();
      if (done === true) out.close();
      else out.enqueue(value);
    },
    cancel: async () => void (await pieces.return?.()),
  });
  return new Response(body, {
    headers: {
      'Cache-Control': 'no-store',
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="${namespace}-${id}.bin"`,
      'Content-Security-Policy': 'sandbox',
    },
  });
}
