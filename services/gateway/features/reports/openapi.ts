import { json, redirect } from '../../openapi/answers.ts';
import { formRequest, urlEncoded } from '../../openapi/forms.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import { type Operation, schemaRef } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';

const REPORT = {
  reportedUrl: SAMPLE.url,
  category: 'phishing',
  description: 'It asks for the password of my bank.',
};

export const submit: Operation = {
  operationId: 'submitReport',
  summary: 'Report abuse',
  description: 'Anyone may report an item; a person will look at it. Scripts of hosted pages may not.',
  tags: ['Reports'],
  security: [],
  parameters: parameters(),
  requestBody: {
    required: true,
    content: json('ReportCreate', {
      report: REPORT,
      complete: {
        ...{ ...REPORT, reporterEmail: 'reader@example.com' },
        ...{ resourceNamespace: 'public', resourceId: 'Ab3dE6gH9k' },
      },
    }),
  },
  responses: {
    '201': {
      description: 'It has arrived.',
      headers: headers([], ['Cache-Control', ...RATE_LIMIT]),
      content: json('ReportCreated', {
        report: { reportId: 'V1StGXR8_Z5jdHi6', receivedAt: SAMPLE.createdAt },
      }),
    },
    ...failures([
      'VALIDATION_FAILED',
      'JSON_INVALID',
      'CROSS_SITE_FORBIDDEN',
      'UNSUPPORTED_MEDIA_TYPE',
      'RATE_LIMITED',
    ]),
  },
  'x-example-requests': [
    { summary: 'A report', status: 201, body: { type: 'application/json', example: 'report' } },
    { summary: 'With every field', status: 201, body: { type: 'application/json', example: 'complete' } },
  ],
};

export const form: Operation = {
  operationId: 'showReportForm',
  summary: 'The report form',
  description: 'For people; the top bar links to it.',
  tags: ['Reports'],
  security: [],
  parameters: parameters('ReportedItem'),
  responses: {
    '200': ownPage('The form.', 'Report a page · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures([], { page: true }),
  },
  'x-example-requests': [{ summary: 'The form', status: 200, query: { item: 'public/Ab3dE6gH9k' } }],
};

export const submitForm: Operation = {
  operationId: 'submitReportForm',
  summary: 'Send the report form',
  description:
    'The same as a form of a browser. What is wrong is told in the form. Only the form itself may send it: a browser that sends it for another page is refused.',
  tags: ['Reports'],
  security: [],
  parameters: parameters(),
  requestBody: {
    required: true,
    content: urlEncoded(schemaRef('ReportCreate'), REPORT),
  },
  responses: {
    '201': ownPage('It has arrived.', 'Report a page · Perch'),
    ...failures(['VALIDATION_FAILED', 'CROSS_SITE_FORBIDDEN', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'], {
      page: true,
    }),
  },
  'x-example-requests': [{ summary: 'A report', ...formRequest(201) }],
};
