import type { InputOf } from '../../../../shared/contracts/operation.ts';
import {
  REPORT_STATUSES,
  type ReportStatus,
  type reviewReport,
  type reviewReportedItem,
} from '../../../../shared/contracts/reports.ts';
import { errors } from '../../../../shared/errors.ts';
import type { ItemRef } from '../../../../shared/items/item.ts';
import { isLongerThan } from '../../../../shared/wording/line.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { bodyUpTo, readJsonObject } from '../../admission/read-body.ts';
import { instantIn } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { isStorable, NOT_STORABLE, withLineFeeds } from '../../http/text.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';
import { ITEM_ID, NAMESPACE } from '../../items/item-address.ts';

/** Characters of a reviewer's note at most. */
export const NOTE_CHARACTERS = 5_000;

/** Room for the longest note with every character escaped. */
const REVIEW_LIMIT = bodyUpTo(131_072);

export const REPORT_ID = /^[\w-]{1,64}$/;

/** The report that a path names. @throws NOT_FOUND when no report can have that id */
export function reportNamed(id: string): string {
  if (REPORT_ID.test(id)) return id;
  throw errors.reportNotFound(id);
}

/** The status that a query or a body names; `null` when it names none. */
export function parseReportStatus(value: unknown, issues: ValidationIssues): ReportStatus | null {
  if (value === null || value === undefined) return null;
  const status = REPORT_STATUSES.find((known) => known === value);
  if (status === undefined) issues.add('status', `must be one of ${REPORT_STATUSES.join(', ')}.`);
  return status ?? null;
}

/** The changes that a reviewer makes to a report. @throws VALIDATION_FAILED that names every issue, JSON_INVALID */
export async function readReview(
  context: RequestContext,
  budget: MemoryBudget,
): Promise<Omit<InputOf<typeof reviewReport>, 'reportId' | 'actor'>> {
  const fields = await readFields(context, budget);
  const issues = collectIssues();
  const status = parseReportStatus(fields.status, issues);
  const note = noteOf(fields, issues);
  issues.throwIfAny();
  if (status === null && !('reviewerNote' in note)) {
    throw errors.validationFailed([
      { field: 'body', message: 'changes nothing: send status, reviewerNote, or both.' },
    ]);
  }
  return { ...(status === null ? {} : { status }), ...note };
}

/** Reads what becomes of all new reports of an item. @throws VALIDATION_FAILED that names every issue, JSON_INVALID */
export async function readItemReview(
  context: RequestContext,
  budget: MemoryBudget,
): Promise<Pick<InputOf<typeof reviewReportedItem>, 'status' | 'reviewerNote' | 'until'>> {
  const fields = await readFields(context, budget);
  const issues = collectIssues();
  const status = SETTLED.find((known) => known === fields.status);
  if (status === undefined) issues.add('status', `must be one of ${SETTLED.join(', ')}.`);
  const note = noteOf(fields, issues);
  const until = parseUntil(fields.until, issues);
  issues.throwIfAny();
  return { status: status ?? 'reviewed', ...note, ...(until === null ? {} : { until }) };
}

function readFields(context: RequestContext, budget: MemoryBudget): Promise<Record<string, unknown>> {
  return readJsonObject(context, REVIEW_LIMIT, budget);
}

/** The note of a review, when it has one; without, that which is there stays. */
const noteOf = (fields: Record<string, unknown>, issues: ValidationIssues) =>
  fields.reviewerNote === undefined
    ? {}
    : { reviewerNote: parseNote(fields.reviewerNote, 'reviewerNote', issues) };

/** When the newest report was received that the operator has seen; `null` when it is not told. */
export function parseUntil(value: unknown, issues: ValidationIssues): number | null {
  if (value === undefined || value === null) return null;
  return instantIn(typeof value === 'string' ? value.trim() : '', 'until', issues);
}

const SETTLED = ['reviewed', 'dismissed', 'actioned'] as const;

/** The item whose reports are asked for, as `namespace/id`; `null` when none is named. */
function parseReportItem(value: string | null, issues: ValidationIssues): ItemRef | null {
  if (value === null) return null;
  const [namespace = '', id = '', ...rest] = value.split('/');
  if (NAMESPACE.test(namespace) && ITEM_ID.test(id) && rest.length === 0) return { namespace, id };
  issues.add('item', 'must be an item as namespace/id.');
  return null;
}

/** Which reports a list shows. @param usual the status when none is named */
export const parseReportFilter = (query: URLSearchParams, issues: ValidationIssues, usual = '') => ({
  status: parseReportStatus((query.get('status') ?? usual).trim() || null, issues),
  item: parseReportItem(query.get('item')?.trim() || null, issues),
});

/** A note of the operator; `null`: none, a blank one or `null` was sent. */
export function parseNote(value: unknown, field: string, issues: ValidationIssues): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? withLineFeeds(value.trim()) : null;
  if (text === null || isLongerThan(text, NOTE_CHARACTERS))
    issues.add(field, `is text of at most ${NOTE_CHARACTERS} characters, or null.`);
  else if (!isStorable(text)) issues.add(field, NOT_STORABLE);
  return text || null;
}
