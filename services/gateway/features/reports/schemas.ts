import { type TSchema, Type } from '@sinclair/typebox';
import { REPORT_CATEGORIES } from '../../../../shared/contracts/reports.ts';
import { RESERVED_NAMESPACES } from '../../items/item-address.ts';
import { optionalText } from '../../openapi/create-fields.ts';
import { answer, instant, request } from '../../openapi/schema-parts.ts';
import { CHARACTERS, orBlank } from '../../openapi/text-patterns.ts';
import { DESCRIPTION, URL_CHARACTERS } from './input.ts';

const VISIBLE = '[^\\s\\u0000\\p{Cs}]';

/** Of reports, as those who report see them. */
export const REPORT_SCHEMAS: Record<string, TSchema> = {
  ReportCreate: request('An abuse report.', {
    reportedUrl: Type.String({
      format: 'uri',
      pattern: '^[hH][tT][tT][pP][sS]?:',
      maxLength: URL_CHARACTERS,
    }),
    category: Type.Unsafe({ type: 'string', enum: REPORT_CATEGORIES }),
    description: Type.String({
      minLength: DESCRIPTION.min,
      maxLength: DESCRIPTION.max,
      pattern: `^\\s*${VISIBLE}[^\\u0000\\p{Cs}]{${DESCRIPTION.min - 2},}${VISIBLE}\\s*$`,
      description: `${DESCRIPTION.min} to ${DESCRIPTION.max} characters besides white space at its ends.`,
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
