import { json, ok } from '../../openapi/answers.ts';
import { headers } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, ITEM, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';

const ADMIN_HEADERS = { 'X-Admin-Password': '{adminPassword}' };

const REPORT = {
  ...{ reportId: 'V1StGXR8_Z5jdHi6', reportedUrl: SAMPLE.url, category: 'phishing' },
  ...{ description: 'It asks for the password of my bank.', reporterEmail: null },
  ...{ resourceNamespace: 'public', resourceId: 'Ab3dE6gH9k', status: 'new', reviewerNote: null },
  ...{ receivedAt: SAMPLE.createdAt, reviewedAt: null },
};
const REVIEWED = {
  ...{ ...REPORT, status: 'actioned', reviewerNote: 'Taken down.', reviewedAt: SAMPLE.updatedAt },
};

export const list: Operation = {
  operationId: 'listReports',
  summary: 'Abuse reports',
  description: 'What people have reported, newest first.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters('ReportStatus', 'Page', 'ReportsSize', ...ADMIN),
  responses: {
    '200': ok(
      'A page of the list.',
      json('ReportPage', { page: { items: [REPORT], total: 1, page: 1, size: 20, pages: 1 } }),
      [['Cache-Control']],
    ),
    ...failures(['VALIDATION_FAILED', 'ADMIN_FORBIDDEN', 'CROSS_SITE_FORBIDDEN', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    {
      ...{ summary: 'What is new', status: 200, needs: 'report', headers: ADMIN_HEADERS },
      query: { status: 'new', page: '1', size: '10' },
    },
    { summary: 'Without the password', status: 403 },
  ],
};

export const read: Operation = {
  operationId: 'readReport',
  summary: 'An abuse report',
  description: 'One report and its review.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters('ReportId', ...ADMIN),
  responses: {
    '200': ok('The report.', json('Report', { new: REPORT, reviewed: REVIEWED }), [['Cache-Control']]),
    ...failures(['ADMIN_FORBIDDEN', 'CROSS_SITE_FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A report', status: 200, needs: 'report', headers: ADMIN_HEADERS },
    { summary: 'One that is not there', status: 404, headers: ADMIN_HEADERS, path: { id: 'no-such-report' } },
  ],
};

export const review: Operation = {
  operationId: 'reviewReport',
  summary: 'Review an abuse report',
  description:
    'Sets the status, the note, or both; what is left out stays. Of two reviewers at once the last one wins, field by field. `reviewedAt` is the last review; a report that becomes new again has none.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters('ReportId', ...ADMIN),
  requestBody: {
    required: true,
    content: json('ReportReview', {
      action: { status: 'actioned', reviewerNote: 'Taken down.' },
      dismissal: { status: 'dismissed' },
      noNote: { reviewerNote: null },
    }),
  },
  responses: {
    '200': ok('The report as it is now.', json('Report', { reviewed: REVIEWED }), [['Cache-Control']]),
    ...failures([
      ...([
        'VALIDATION_FAILED',
        'JSON_INVALID',
        'ADMIN_FORBIDDEN',
        'CROSS_SITE_FORBIDDEN',
        'NOT_FOUND',
      ] as const),
      ...(['UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'] as const),
    ]),
  },
  'x-example-requests': (['action', 'dismissal', 'noNote'] as const).map((example) => ({
    ...{ summary: `With the body "${example}"`, status: 200, needs: 'report', headers: ADMIN_HEADERS },
    body: { type: 'application/json', example },
  })),
};

export const takeDown: Operation = {
  operationId: 'takeDownItem',
  summary: 'Take an item down',
  description:
    'Removes an item of any kind, whoever owns it, as if its owner had. The log names the address that asked for it.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ITEM, ...ADMIN),
  responses: {
    '204': { description: 'It is gone.', headers: headers(['Cache-Control']) },
    ...failures(['ADMIN_FORBIDDEN', 'CROSS_SITE_FORBIDDEN', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A page', status: 204, needs: 'page', headers: ADMIN_HEADERS },
    { summary: 'A site', status: 204, needs: 'site', headers: ADMIN_HEADERS },
    { summary: 'Without the password', status: 403, needs: 'page' },
  ],
};
