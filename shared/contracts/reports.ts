import { type Static, Type } from '@sinclair/typebox';
import { KINDS } from '../items/item.ts';
import { ACTED } from './audit.ts';
import { defineOperation } from './operation.ts';

const NullableString = Type.Union([Type.String(), Type.Null()]);

/** Why somebody reports an item (specification 17.1). */
export const REPORT_CATEGORIES = [
  ...(['spam', 'phishing', 'malware', 'copyright'] as const),
  ...(['harassment', 'illegal', 'cannot_delete', 'other'] as const),
];

/** The states of a report (specification 18.2). */
export const REPORT_STATUSES = ['new', 'reviewed', 'dismissed', 'actioned'] as const;
export const ReportStatus = Type.Union(REPORT_STATUSES.map((status) => Type.Literal(status)));
export type ReportStatus = Static<typeof ReportStatus>;

/** Reports in one list at most: the longest hundred, every character escaped, still fit into a message. */
export const REPORTS_PER_PAGE = 100;

const SUBMITTED = {
  /** Equal in every attempt at one report. */
  reportId: Type.String(),
  reportedUrl: Type.String(),
  category: Type.Union(REPORT_CATEGORIES.map((category) => Type.Literal(category))),
  description: Type.String(),
  reporterEmail: NullableString,
  /** The item, where the report names one. */
  namespace: NullableString,
  id: NullableString,
  /** The sender, as the gateway saw them. Earlier releases do not tell. */
  reporterIp: Type.Optional(NullableString),
  reporterUserAgent: Type.Optional(NullableString),
};

export const Report = Type.Object({
  ...SUBMITTED,
  /** Kind of the item when it was reported; `unknown` when there was none. */
  resourceType: Type.Union([...KINDS, 'unknown'].map((kind) => Type.Literal(kind))),
  status: ReportStatus,
  reviewerNote: NullableString,
  receivedAt: Type.Integer(),
  /** When it was last looked at; `null` while it is new. */
  reviewedAt: Type.Union([Type.Integer(), Type.Null()]),
});
export type Report = Static<typeof Report>;

export const submitReport = defineOperation({
  subject: 'analytics.submit-report',
  input: Type.Object(SUBMITTED),
  reply: Type.Object({ reportId: Type.String(), receivedAt: Type.Integer() }),
  timeoutMs: 3_000,
  retry: true,
  writes: true,
});

/** Newest first. */
export const listReports = defineOperation({
  subject: 'analytics.list-reports',
  input: Type.Object({
    status: Type.Union([ReportStatus, Type.Null()]),
    /** Behind the report that was received then, of that id. */
    after: Type.Optional(
      Type.Union([Type.Object({ createdAt: Type.Integer(), id: Type.String() }), Type.Null()]),
    ),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: REPORTS_PER_PAGE }),
  }),
  reply: Type.Object({
    reports: Type.Array(Report),
    /** Of that status, wherever the page begins. */
    total: Type.Integer(),
    /** Whether older ones follow. */
    more: Type.Optional(Type.Boolean()),
  }),
  timeoutMs: 5_000,
  retry: true,
});

export const readReport = defineOperation({
  subject: 'analytics.read-report',
  input: Type.Object({ reportId: Type.String() }),
  reply: Report,
  timeoutMs: 3_000,
  retry: true,
});

/**
 * Changes a report; omitted fields stay as they are. Not repeated after a lost reply: another review may have come in
 * between.
 */
export const reviewReport = defineOperation({
  subject: 'analytics.review-report',
  input: Type.Object({
    reportId: Type.String(),
    status: Type.Optional(ReportStatus),
    reviewerNote: Type.Optional(NullableString),
    ...ACTED,
  }),
  reply: Report,
  timeoutMs: 3_000,
  retry: false,
  writes: true,
});
