import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { describeScans, type ScanRun, type ScanState } from '../../../../shared/contracts/scans.ts';
import { SCAN_MODES, SCAN_WHEN_AWAY } from '../../../../shared/scanning/settings.ts';
import { instant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { schemaRef } from '../../openapi/operation.ts';
import { answer, count, list, nullable, text } from '../../openapi/schema-parts.ts';
import { type AdminDependencies, admitted, NO_STORE } from './admitted.ts';
import { operatorOperation } from './operation.ts';
import { createOperatorActions } from './operator-actions.ts';

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
      type: ['object', 'null'],
      additionalProperties: false,
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

const RUN = {
  runId: 3,
  startedAt: '2026-11-21T07:20:21.000Z',
  startedBy: 'operator',
  scanner: 'ClamAV 1.4.6/27800/Sat Nov 21 09:00:00 2026',
  queued: 1200,
  scanned: 1180,
  found: 1,
  finishedAt: null,
};

const READ_SCANS = operatorOperation({
  operationId: 'readScans',
  summary: 'What looks through content',
  description:
    'The scanner, the blocklist of links, how many items wait or are in quarantine, and the latest rescans.',
  responses: {
    '200': ok(
      'How it is now.',
      json('ScanState', {
        state: {
          scanner: 'up',
          version: RUN.scanner,
          mode: 'before',
          whenAway: 'hold',
          waiting: 0,
          quarantined: 2,
          links: { hosts: 120, badLines: 0, problem: null },
          runs: [RUN],
        },
      }),
      [['Cache-Control']],
    ),
  },
  'x-example-requests': [
    { summary: 'The state', status: 200 },
    { summary: 'Without the password', status: 401 },
  ],
});

const START_RESCAN = operatorOperation({
  operationId: 'startRescan',
  summary: 'Look through all that is stored anew',
  description:
    'With the signatures and the blocklist of today. Items go through it at the pace that the server is set to, beside all other work; a server that is restarted carries on. While a rescan goes on, that one is the answer.',
  responses: {
    '200': ok(
      'It has begun, or one goes on.',
      json('RescanStarted', { started: { started: true, run: { ...RUN, queued: 0, scanned: 0, found: 0 } } }),
      [['Cache-Control']],
    ),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    { summary: 'A rescan', status: 200 },
    { summary: 'Without the password', status: 401 },
  ],
});

/** The scanner, the blocklist of links and rescans, for the operator (specification 18.12). */
export function scanRoutes(deps: AdminDependencies) {
  const { bus } = deps;
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
    );
}

const shownRun = ({ startedAt, finishedAt, ...run }: ScanRun) => ({
  ...run,
  startedAt: instant(startedAt),
  finishedAt: finishedAt === null ? null : instant(finishedAt),
});

const shownState = ({ runs, ...state }: ScanState) => ({ ...state, runs: runs.map(shownRun) });
