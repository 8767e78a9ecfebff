import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import {
  REPORT_CATEGORIES,
  REPORT_DESCRIPTION,
  REPORTED_URL_CHARACTERS,
  submitReport,
} from '../../../../shared/contracts/reports.ts';
import { newItemId } from '../../../../shared/ids.ts';
import { isLine, isLongerThan } from '../../../../shared/wording/line.ts';
import { limited } from '../../admission/limited.ts';
import { bodyUpTo, readJsonObject } from '../../admission/read-body.ts';
import { hashOwnerToken, ownerTokenOf } from '../../auth/owner-token.ts';
import { senderOf } from '../../http/client.ts';
import { refuseHostedPage } from '../../http/own-page.ts';
import { maskAddress } from '../../http/query-masking.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { isStorable, NOT_STORABLE, withLineFeeds } from '../../http/text.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { RESERVED_NAMESPACES } from '../../items/item-address.ts';
import { json } from '../../openapi/answers.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { documented } from '../../openapi/documented.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, JSON_BODY_CODES } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { answer, instant, request } from '../../openapi/schema-parts.ts';
import { CHARACTERS, orBlank } from '../../openapi/text-patterns.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { findReportedItem, parseNamedItem, type ReportedItem } from './reported-item.ts';

/** Room for the longest description with every character escaped. */
const REPORT_LIMIT = bodyUpTo(131_072);

const VISIBLE = '[^\\s\\x00]';

/** Schemas of reports, as those who report see them. */
export const REPORT_SCHEMAS: Record<string, TSchema> = {
  ReportCreate: request('An abuse report.', {
    reportedUrl: Type.String({
      format: 'uri',
      pattern: '^[hH][tT][tT][pP][sS]?:',
      maxLength: REPORTED_URL_CHARACTERS,
    }),
    category: Type.Unsafe({ type: 'string', enum: REPORT_CATEGORIES }),
    description: Type.String({
      minLength: REPORT_DESCRIPTION.min,
      maxLength: REPORT_DESCRIPTION.max,
      pattern: `^\\s*${VISIBLE}[^\\x00]{${REPORT_DESCRIPTION.min - 2},}${VISIBLE}\\s*$`,
      description: `${REPORT_DESCRIPTION.min} to ${REPORT_DESCRIPTION.max} characters besides white space at its ends.`,
    }),
    reporterEmail: Type.Optional(
      Type.Union([
        Type.String({ format: 'email', maxLength: 320 }),
        Type.String({ pattern: '^\\s*$', description: 'None.' }),
        Type.Null(),
      ]),
    ),
    resourceNamespace: optionalText({
      pattern: orBlank(CHARACTERS.namespace, '\\s*'),
      not: { enum: [...RESERVED_NAMESPACES] },
      description:
        'With resourceId: the item. Without both it is the one that the address names; with one of them, if that agrees.',
    }),
    resourceId: optionalText({
      pattern: orBlank(CHARACTERS.id, '\\s*'),
      description: 'With resourceNamespace.',
    }),
  }),
  ReportCreated: answer('A report that has arrived.', {
    reportId: Type.String({ minLength: 1 }),
    receivedAt: instant('When it arrived.'),
  }),
};

/** A report of an item, as an example. */
export const REPORT_SAMPLE = {
  reportedUrl: SAMPLE.url,
  category: 'phishing',
  description: 'It asks for the password of my bank.',
};

const OPERATION: Operation = {
  operationId: 'submitReport',
  summary: 'Report abuse',
  description: 'Anyone may report an item; a person will look at it. Scripts of hosted pages may not.',
  tags: ['Reports'],
  security: [],
  parameters: parameters(),
  requestBody: {
    required: true,
    content: json('ReportCreate', {
      report: REPORT_SAMPLE,
      complete: {
        ...REPORT_SAMPLE,
        reporterEmail: 'reader@example.com',
        resourceNamespace: 'public',
        resourceId: 'Ab3dE6gH9k',
      },
    }),
  },
  responses: {
    '201': {
      description: 'It has arrived.',
      headers: headers([], ['Cache-Control', ...RATE_LIMIT]),
      content: json('ReportCreated', {
        report: { reportId: 'Q7wErT2yU9', receivedAt: SAMPLE.createdAt },
      }),
    },
    ...failures([...JSON_BODY_CODES, 'CROSS_SITE_FORBIDDEN', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A report', status: 201, body: { type: 'application/json', example: 'report' } },
    { summary: 'With every field', status: 201, body: { type: 'application/json', example: 'complete' } },
  ],
};

/** Takes abuse reports of programs (specification 17.1). */
export function submitReportRoutes(deps: UploadDependencies) {
  const { config, budget, itemHosts } = deps;
  return new Elysia().use(limited(deps)).post(
    '/api/reports',
    async ({ context }) => {
      refuseHostedPage(context, config.contentBaseUrl, itemHosts);
      const { reportId, receivedAt } = await sendReport(
        deps,
        context,
        await readJsonObject(context, REPORT_LIMIT, budget),
      );
      return Response.json({ reportId, receivedAt: new Date(receivedAt).toISOString() }, { status: 201 });
    },
    { limit: 'reports', parse: 'none', detail: documented(OPERATION) },
  );
}

/** Checks a report and stores it. @throws VALIDATION_FAILED that names every issue, UNAVAILABLE, TIMEOUT */
export const sendReport = async (
  deps: UploadDependencies,
  context: RequestContext,
  fields: Record<string, unknown>,
) => {
  const { reportedUrl, named, ...report } = parseReport(fields);
  const item = await findReportedItem(deps, context, named, reportedUrl);
  const { clientIp, userAgent } = senderOf(context);
  const token = ownerTokenOf(context);
  const sent = {
    ...report,
    ...item,
    reportedUrl: maskAddress(reportedUrl),
    reportId: newItemId(),
    reporterIp: clientIp,
    reporterUserAgent: userAgent,
    ...(token === null ? {} : { ownerHash: hashOwnerToken(token) }),
  };
  return await call(deps.bus, submitReport, sent, context.callContext);
};

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/** A report as it was sent. */
interface SentReport
  extends Pick<InputOf<typeof submitReport>, 'category' | 'description' | 'reporterEmail'> {
  /** Address that is reported, with its secrets. */
  reportedUrl: string;
  /** The item, as far as fields of their own name it. */
  named: ReportedItem;
}

/** A report's fields, checked (specification 17.1). @throws VALIDATION_FAILED that names every issue */
function parseReport(fields: Record<string, unknown>): SentReport {
  const issues = collectIssues();
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name].trim() : '');
  const reportedUrl = text('reportedUrl');
  if (!isWebAddress(reportedUrl)) {
    issues.add(
      'reportedUrl',
      `must be the whole address of the page, at most ${REPORTED_URL_CHARACTERS} characters.`,
    );
  }
  const category = REPORT_CATEGORIES.find((known) => known === text('category'));
  if (category === undefined) {
    issues.add('category', `must be one of ${REPORT_CATEGORIES.join(', ')}.`);
  }
  const description = withLineFeeds(text('description'));
  if ([...description].length < REPORT_DESCRIPTION.min || isLongerThan(description, REPORT_DESCRIPTION.max)) {
    issues.add('description', `has ${REPORT_DESCRIPTION.min} to ${REPORT_DESCRIPTION.max} characters.`);
  } else if (!isStorable(description)) issues.add('description', NOT_STORABLE);
  const reporterEmail = text('reporterEmail') || null;
  const isText = ['string', 'undefined'].includes(typeof (fields.reporterEmail ?? undefined));
  if (!isText || (reporterEmail !== null && !isEmailAddress(reporterEmail))) {
    issues.add('reporterEmail', 'must be an e-mail address, or be left out.');
  }
  const named = parseNamedItem(fields, issues);
  issues.throwIfAny();
  return { reportedUrl, category: category ?? 'other', description, reporterEmail, named };
}

/** An address that people can open, and a reviewer safely. */
const isWebAddress = (url: string): boolean =>
  url.length <= REPORTED_URL_CHARACTERS &&
  isLine(url) &&
  URL.canParse(url) &&
  ['http:', 'https:'].includes(new URL(url).protocol);

const isEmailAddress = (text: string): boolean => EMAIL.test(text) && isLine(text);
