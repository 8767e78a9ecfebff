import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { describeScans, type ScanRun, type ScanState } from '../../../../shared/contracts/scans.ts';
import { errors } from '../../../../shared/errors.ts';
import { isThere } from '../../../../shared/items/item-record.ts';
import { contentParts } from '../../../../shared/scanning/content-parts.ts';
import { SCAN_MODES, SCAN_WHEN_AWAY } from '../../../../shared/scanning/settings.ts';
import { readJsonObject } from '../../admission/json-body.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { instant } from '../../items/serializer.ts';
import { bytes, json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { type Operation, schemaRef } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, ITEM, parameters } from '../../openapi/parameters.ts';
import { ADMIN_CODES, failures } from '../../openapi/responses.ts';
import { answer, count, list, nullable, request, text } from '../../openapi/schema-parts.ts';
import { ADMIN_HEADERS, type AdminDependencies, admitted } from './admitted.ts';
import { parseFindingId } from './finding-id.ts';
import { createOperatorActions } from './operator-actions.ts';

/** Room for a release. */
const RELEASE_BYTES = 1_024;

const NO_STORE = { 'Cache-Control': 'no-store' };

const oneOf = (values: readonly string[], description: string) =>
  Type.Unsafe({ type: 'string', enum: values, description });

/** Schemas of what looks through content. */
export const SCAN_SCHEMAS: Record<string, TSchema> = {
  ScanRun: answer('A rescan of all that is stored.', {
    runId: Type.Integer({ minimum: 1 }),
    startedAt: Type.String({ format: 'date-time' }),
    startedBy: oneOf(['operator', 'schedule'], 'Who started it.'),
    scanner: text('The scanner and its signatures, as it calls them; empty without one.'),
    queued: count('Items that it has come to so far.'),
    scanned: count('Of them those that were looked through.'),
    found: count('And those in which something was found.'),
    finishedAt: nullable('string', 'When it ended; null: it goes on.'),
  }),
  ItemRelease: request('What is released.', {
    findingId: Type.String({
      pattern: '^[0-9a-f]{32}$',
      description: 'As `/api/admin/publications` names what was found in the item.',
    }),
  }),
  RescanStarted: answer('A rescan that goes on.', {
    started: Type.Boolean({ description: 'Whether it has begun with this request.' }),
    run: schemaRef('ScanRun'),
  }),
  ScanState: answer('What looks through content, and the work that waits.', {
    scanner: oneOf(['none', 'up', 'down'], '`none`: no scanner is configured.'),
    version: nullable('string', 'The scanner and its signatures, as it calls them.'),
    mode: oneOf(SCAN_MODES, 'Whether a create waits for its scan.'),
    whenAway: oneOf(SCAN_WHEN_AWAY, 'What becomes of new content while the scanner is away.'),
    waiting: count('Items that wait for their first scan.'),
    quarantined: count('Items in quarantine, those among them.'),
    links: Type.Unsafe({
      ...{ type: ['object', 'null'], additionalProperties: false },
      required: ['hosts', 'badLines', 'problem'],
      properties: {
        hosts: count('Hosts that no page may link to.'),
        badLines: count('Lines of their file that name no host.'),
        problem: nullable('string', 'Why the file could not be read; null: it could.'),
      },
      description: 'The blocklist of links; null: there is none.',
    }),
    runs: list('ScanRun', 'The latest rescans, the newest first.'),
  }),
};

const FINDING_ID = '3f0c1a9be2d84756a1b2c3d4e5f60718';

const RUN = {
  ...{ runId: 3, startedAt: '2026-11-21T07:20:21.000Z', startedBy: 'operator' },
  ...{ scanner: 'ClamAV 1.4.6/27800/Sat Nov 21 09:00:00 2026', queued: 1200, scanned: 1180, found: 1 },
  finishedAt: null,
};

const READ_SCANS: Operation = {
  operationId: 'readScans',
  summary: 'What looks through content',
  description:
    'The scanner, the blocklist of links, how many items wait or are in quarantine, and the latest rescans.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ADMIN),
  responses: {
    '200': ok(
      'How it is now.',
      json('ScanState', {
        state: {
          ...{ scanner: 'up', version: RUN.scanner, mode: 'before', whenAway: 'hold' },
          ...{ waiting: 0, quarantined: 2, links: { hosts: 120, badLines: 0, problem: null }, runs: [RUN] },
        },
      }),
      [['Cache-Control']],
    ),
    ...failures(ADMIN_CODES),
  },
  'x-example-requests': [
    { summary: 'The state', status: 200, headers: ADMIN_HEADERS },
    { summary: 'Without the password', status: 401 },
  ],
};

const START_RESCAN: Operation = {
  operationId: 'startRescan',
  summary: 'Look through all that is stored anew',
  description:
    'With the signatures and the blocklist of today. Items go through it at the pace that the server is set to, beside all other work; a server that is restarted carries on. While a rescan goes on, that one is the answer.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ADMIN),
  responses: {
    '200': ok(
      'It has begun, or one goes on.',
      json('RescanStarted', { started: { started: true, run: { ...RUN, queued: 0, scanned: 0, found: 0 } } }),
      [['Cache-Control']],
    ),
    ...failures(['VALIDATION_FAILED', ...ADMIN_CODES]),
  },
  'x-example-requests': [
    { summary: 'A rescan', status: 200, headers: ADMIN_HEADERS },
    { summary: 'Without the password', status: 401 },
  ],
};

const RELEASE_ITEM: Operation = {
  operationId: 'releaseItem',
  summary: 'Release what was found in an item',
  description:
    'A scan that finds the same in this content, of a site in the same file, lets it pass from then on; new content is looked through like any other. The rest of the item is looked through at once: if nothing else is found everybody may read it again, unless it is hidden besides. The request says by `findingId`, which `/api/admin/publications` has, what the operator has seen: when the content or the finding is another one by now, nothing is released, and the answer is 409. `quarantined` says that something else was found, or that it waits for its scan. An item that was `unscanned` is shown as it is, and scanned as soon as that is possible.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ITEM, ...ADMIN),
  requestBody: { required: true, content: json('ItemRelease', { seen: { findingId: FINDING_ID } }) },
  responses: {
    '200': ok(
      'How it is now; also when it was in none.',
      json('ItemVisibility', {
        released: { namespace: 'public', id: 'Ab3dE6gH9k', type: 'html', state: 'live' },
      }),
      [['Cache-Control']],
    ),
    ...failures([
      ...(['NOT_FOUND', 'FINDING_CHANGED', 'VALIDATION_FAILED', 'JSON_INVALID'] as const),
      ...(['UNSUPPORTED_MEDIA_TYPE', ...ADMIN_CODES] as const),
    ]),
  },
  'x-example-requests': [
    {
      ...{ summary: 'A page', status: 200, needs: 'page', headers: ADMIN_HEADERS },
      body: { type: 'application/json', example: 'seen' },
    },
    {
      ...{ summary: 'Without the password', status: 401, needs: 'page' },
      body: { type: 'application/json', example: 'seen' },
    },
  ],
};

const READ_BYTES: Operation = {
  operationId: 'readItemBytes',
  summary: 'The bytes of an item, for the operator',
  description:
    'As a download that no browser opens, whatever they are: also those of an item that is hidden, protected or in quarantine. Of a site `part` names the file; stores have none.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ITEM, 'PartOfSite', ...ADMIN),
  responses: {
    '200': ok('The bytes.', bytes('application/octet-stream', 'bytes', 'What was uploaded'), [
      ['Cache-Control', 'Content-Disposition'],
      ['Content-Security-Policy'],
    ]),
    ...failures(['NOT_FOUND', ...ADMIN_CODES]),
  },
  'x-example-requests': [
    { summary: 'A page', status: 200, needs: 'page', headers: ADMIN_HEADERS },
    { summary: 'Without the password', status: 401, needs: 'page' },
  ],
};

/** The scanner, the blocklist of links and quarantine, for the operator (specification 18.12). */
export function scanRoutes(deps: AdminDependencies) {
  const { bus, budget } = deps;
  const actions = createOperatorActions(deps);
  return new Elysia()
    .use(admitted(deps))
    .get(
      '/api/admin/scans',
      async ({ context }) => {
        const state = await call(bus, describeScans, {}, context.callContext);
        return Response.json(shownState(state), { headers: NO_STORE });
      },
      { detail: documented(READ_SCANS, 'operator') },
    )
    .post(
      '/api/admin/scans',
      async ({ context, operator }) => {
        const { run, started } = await actions.startRescan({ context, operator });
        return Response.json({ started, run: shownRun(run) }, { headers: NO_STORE });
      },
      { parse: 'none', detail: documented(START_RESCAN, 'operator') },
    )
    .post(
      '/api/admin/items/:ns/:id/release',
      async ({ context, operator, params }) => {
        const item = itemNamed(params);
        const tooLarge = () =>
          errors.validationFailed([{ field: 'body', message: 'is too long for a release.' }]);
        const fields = await readJsonObject(context, { bytes: RELEASE_BYTES, tooLarge }, budget);
        const findingId = parseFindingId(fields.findingId);
        const { kind, hidden, quarantine } = await actions.release({ context, operator }, item, findingId);
        const state = quarantine === undefined ? (hidden ? 'hidden' : 'live') : 'quarantined';
        const body = { ...item, type: kind, state };
        return Response.json(body, { headers: NO_STORE });
      },
      { parse: 'none', detail: documented(RELEASE_ITEM, 'operator') },
    )
    .get(
      '/api/admin/items/:ns/:id/bytes',
      ({ context, params }) => answerBytes(deps, context, itemNamed(params)),
      { detail: documented(READ_BYTES, 'operator') },
    );
}

/** The bytes of an item or of one file of a site, so that nothing opens them. */
async function answerBytes(
  { lookup, blobs, clock }: AdminDependencies,
  context: RequestContext,
  { namespace, id }: { namespace: string; id: string },
): Promise<Response> {
  const { record } = await lookup.find({ namespace, id }, context.callContext, false);
  if (!isThere(record, clock.now())) throw errors.contentNotFound(namespace, id);
  context.item = record;
  const wanted = context.query().get('part');
  const parts = await contentParts(blobs, record.kind, record.content);
  const part = parts.find(({ path }) => path === null || path === wanted);
  if (part === undefined) throw errors.contentNotFound(namespace, `${id}/${wanted ?? ''}`.slice(0, 200));
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
      ...NO_STORE,
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `attachment; filename="${namespace}-${id}.bin"`,
      'Content-Security-Policy': 'sandbox',
    },
  });
}

const shownRun = ({ startedAt, finishedAt, ...run }: ScanRun) => ({
  ...run,
  startedAt: instant(startedAt),
  finishedAt: finishedAt === null ? null : instant(finishedAt),
});

const shownState = ({ runs, ...state }: ScanState) => ({ ...state, runs: runs.map(shownRun) });
