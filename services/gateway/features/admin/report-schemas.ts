import { type TSchema, Type } from '@sinclair/typebox';
import { REPORT_CATEGORIES, REPORT_STATUSES } from '../../../../shared/contracts/reports.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { answer, instant, nullable, numberedPage, text } from '../../openapi/schema-parts.ts';
import { CHARACTERS } from '../../openapi/text-patterns.ts';
import { NOTE_CHARACTERS } from './review-input.ts';

const status = Type.Unsafe({
  type: 'string',
  enum: REPORT_STATUSES,
  description: 'What has become of it.',
});

/** Of reports, as the operator sees them. */
export const MODERATION_SCHEMAS: Record<string, TSchema> = {
  Report: answer('An abuse report and its review.', {
    reportId: Type.String({ minLength: 1 }),
    reportedUrl: text(
      'As it was reported, without a user and password, and with *** for secrets; open it with care.',
    ),
    category: Type.Unsafe({ type: 'string', enum: REPORT_CATEGORIES }),
    description: text('What the reporter says.'),
    reporterEmail: nullable('string', 'Where to ask back.'),
    resourceNamespace: nullable('string', 'Of the item, where the report names one.'),
    resourceId: nullable('string', 'Of the item, where the report names one.'),
    status,
    reviewerNote: nullable('string', 'What the reviewer says.'),
    receivedAt: instant('When it arrived.'),
    reviewedAt: Type.Unsafe({
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When it was reviewed last; null while it is new.',
    }),
  }),
  ReportPage: numberedPage('Report', 'Reports, newest first.'),
  ReportReview: Type.Object(
    {
      status: Type.Optional(
        Type.Unsafe({ enum: [...REPORT_STATUSES, null], description: 'null: it stays as it is.' }),
      ),
      reviewerNote: optionalText({
        maxLength: NOTE_CHARACTERS,
        pattern: CHARACTERS.storable,
        description: 'null, or a blank text, clears it.',
      }),
    },
    {
      description: 'What changes of a report; at least one of the two.',
      anyOf: [
        { required: ['status'], properties: { status: { type: 'string' } } },
        { required: ['reviewerNote'] },
      ],
    },
  ),
};
