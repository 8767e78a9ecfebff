import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import * as audit from '../../../../shared/contracts/audit.ts';
import { call } from '../../../../shared/contracts/call.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import { instant as shownInstant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, instant, list, nullable, text } from '../../openapi/schema-parts.ts';
import { type AdminDependencies, admitted } from './admitted.ts';
import { answerList, parseListQuery, parseOneOf } from './list-page.ts';
import { operatorOperation } from './operation.ts';

/** The ids of entries are numbers. */
const PAGE = { default: 50, max: audit.AUDIT_PER_PAGE, id: /^\d{1,15}$/ };

/** Schemas of the audit trail. */
export const AUDIT_SCHEMAS: Record<string, TSchema> = {
  AuditEntry: answer('What an operator did, or tried.', {
    id: Type.Integer(),
    createdAt: instant('When.'),
    action: Type.Unsafe({ type: 'string', enum: audit.AUDIT_ACTIONS }),
    target: text('What it was done to; empty where there is nothing but the action.'),
    clientIp: text('The address of the operator.'),
    via: Type.Unsafe({
      type: 'string',
      enum: audit.AUDIT_WAYS,
      description: 'Whether by a page of the console, or by a program with the password.',
    }),
    note: nullable('string', 'The reason that the operator gave.'),
    outcome: text('`done`, or the code of the error that it failed with.'),
    requestId: text('Of the request, as the access log has it.'),
  }),
  AuditList: list('AuditEntry', 'Entries of the audit trail, newest first.'),
};

const SAMPLE_ENTRY = {
  id: 12,
  createdAt: SAMPLE.createdAt,
  action: 'take-down-item',
  target: 'public/Ab3dE6gH9k',
  clientIp: '192.0.2.1',
  via: 'console',
  note: 'Phishing.',
  outcome: 'done',
  requestId: 'V1StGXR8_Z5jdHi6',
};

const OPERATION = operatorOperation({
  operationId: 'listAudit',
  summary: 'What operators did',
  description:
    'Every sign-in and every change by the console or by `/api/admin`, newest first, those that failed among them; kept for good. Nothing can change or remove an entry. The `Link` of an answer goes on behind its last entry.',
  parameters: ['AuditAction', 'AuditLimit', 'ListOffset', 'ListCursor'],
  responses: {
    '200': ok('A part of the trail.', json('AuditList', { page: [SAMPLE_ENTRY] }), [
      ['Cache-Control', 'X-Total-Count'],
      ['Link'],
    ]),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    { summary: 'The newest', status: 200 },
    {
      summary: 'Takedowns',
      status: 200,
      query: { action: 'take-down-item', limit: '10', offset: '0' },
    },
    { summary: 'Without the password', status: 401 },
  ],
});

/** The audit trail, as the operator reads it (specification 18.9). */
export function auditRoutes(deps: AdminDependencies) {
  const { bus } = deps;
  return new Elysia().use(admitted(deps)).get(
    '/api/admin/audit',
    async ({ context }) => {
      const { page, filter: action } = parseListQuery(context.query(), PAGE, parseAuditAction);
      const { limit, offset, after } = page;
      const place = after === null ? null : { createdAt: after.createdAt, id: Number(after.id) };
      const input = { action, limit, offset, after: place };
      const { entries, total, more } = await call(bus, audit.listAudit, input, context.callContext);
      const last = more ? entries.at(-1) : undefined;
      const next = last === undefined ? null : { createdAt: last.createdAt, id: String(last.id) };
      return answerList(entries.map(shown), { count: total }, { context, after: next });
    },
    { detail: documented(OPERATION, 'operator') },
  );
}

/** The action that a query names; `null` when it names none. */
export const parseAuditAction = (query: URLSearchParams, issues: ValidationIssues) =>
  parseOneOf(query, 'action', audit.AUDIT_ACTIONS, issues);

function shown({ createdAt, ...entry }: audit.AuditEntry) {
  const { id, action, target, clientIp, via, note, outcome, requestId } = entry;
  return { id, createdAt: shownInstant(createdAt), action, target, clientIp, via, note, outcome, requestId };
}
