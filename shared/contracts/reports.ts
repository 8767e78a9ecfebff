import { type Static, Type } from '@sinclair/typebox';
import { KINDS } from '../items/item.ts';
import { ACTED } from './audit.ts';
import { ItemAddress } from './items.ts';
import { defineOperation } from './operation.ts';

const NullableString = Type.Union([Type.String(), Type.Null()]);

/** Why somebody reports an item (specification 17.1). */
export const REPORT_CATEGORIES = [
  ...(['spam', 'phishing', 'malware', 'copyright'] as const),
  ...(['harassment', 'illegal', 'cannot_delete', 'other'] as const),
];

/** Characters of a report's description and of the address that it is about (specification 17.1). */
export const REPORT_DESCRIPTION = { min: 10, max: 5000 };
export const REPORTED_URL_CHARACTERS = 2000;

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

/** Items with reports in one list at most. */
export const REPORTED_ITEMS_PER_PAGE = 100;

/** Reports that one review of an item settles at most. */
export const REPORTS_PER_REVIEW = 1_000;

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
  input: Type.Object({
    ...SUBMITTED,
    /** Hash of an owner token that came with the report. Earlier releases do not tell. */
    ownerHash: Type.Optional(NullableString),
  }),
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
    /** About this item. Gateways of earlier releases do not ask by it. */
    item: Type.Optional(Type.Union([Type.Object(ItemAddress), Type.Null()])),
    /** Behind the report that was received then, of that id. */
    after: Type.Optional(
      Type.Union([Type.Object({ createdAt: Type.Integer(), id: Type.String() }), Type.Null()]),
    ),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: REPORTS_PER_PAGE }),
  }),
  reply: Type.Object({
    reports: Type.Array(Report),
    /** Number of all reports of the status, wherever the page begins. */
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

/** An item that has been reported, and what its reports come to. */
export const ReportedItem = Type.Object({
  ...ItemAddress,
  /** Kind of the item as it is now, else when it was reported last; `unknown` when there was none. */
  kind: Report.properties.resourceType,
  /** `gone`: there is no item at this address now. */
  state: Type.Union((['live', 'hidden', 'gone'] as const).map((state) => Type.Literal(state))),
  /** Whether it is hidden as it is in quarantine. Earlier releases do not tell, and know no such state. */
  quarantined: Type.Optional(Type.Boolean()),
  reports: Type.Integer(),
  newReports: Type.Integer(),
  /** Independent senders: each network counts once, the owner's does not. */
  reporters: Type.Integer(),
  /** How many there are of each category. */
  categories: Type.Record(Type.String(), Type.Integer()),
  firstReceivedAt: Type.Integer(),
  lastReceivedAt: Type.Integer(),
});
export type ReportedItem = Static<typeof ReportedItem>;

/** Items that were reported last come first. */
export const listReportedItems = defineOperation({
  subject: 'analytics.list-reported-items',
  input: Type.Object({
    /** Items that have a report of this status; `null`: any. */
    status: Type.Union([ReportStatus, Type.Null()]),
    offset: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 1, maximum: REPORTED_ITEMS_PER_PAGE }),
  }),
  reply: Type.Object({ items: Type.Array(ReportedItem), total: Type.Integer() }),
  timeoutMs: 5_000,
  retry: true,
});

/** Reviews the new reports of an item, the oldest first, up to `REPORTS_PER_REVIEW`; `left` are those that are still to be reviewed. */
export const reviewReportedItem = defineOperation({
  subject: 'analytics.review-reported-item',
  input: Type.Object({
    ...ItemAddress,
    status: Type.Exclude(ReportStatus, Type.Literal('new')),
    reviewerNote: Type.Optional(NullableString),
    /** When the newest one was received that the operator has seen: later ones stay new. Earlier releases do not ask by it. */
    until: Type.Optional(Type.Integer()),
    ...ACTED,
  }),
  reply: Type.Object({ reviewed: Type.Integer(), left: Type.Integer() }),
  timeoutMs: 5_000,
  retry: false,
  writes: true,
});
