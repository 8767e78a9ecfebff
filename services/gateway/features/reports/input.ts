import type { InputOf } from '../../../../shared/contracts/operation.ts';
import { REPORT_CATEGORIES, type submitReport } from '../../../../shared/contracts/reports.ts';
import { isLine, isLongerThan, isStorable, NOT_STORABLE } from '../../http/text.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { parseNamedItem, type ReportedItem } from './reported-item.ts';

export const DESCRIPTION = { min: 10, max: 5000 };
export const URL_CHARACTERS = 2000;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/** A report as it was sent. */
interface SentReport
  extends Pick<InputOf<typeof submitReport>, 'category' | 'description' | 'reporterEmail'> {
  /** With its secrets. */
  reportedUrl: string;
  /** The item, as far as fields of their own name it. */
  named: ReportedItem;
}

/** A report's fields, checked (specification 17.1). @throws VALIDATION_FAILED that names every issue */
export function parseReport(fields: Record<string, unknown>): SentReport {
  const issues = collectIssues();
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name].trim() : '');
  const reportedUrl = text('reportedUrl');
  if (!isWebAddress(reportedUrl)) {
    issues.add(
      'VALIDATION_FAILED',
      'reportedUrl',
      `must be the whole address of the page, at most ${URL_CHARACTERS} characters.`,
    );
  }
  const category = REPORT_CATEGORIES.find((known) => known === text('category'));
  if (category === undefined) {
    issues.add('VALIDATION_FAILED', 'category', `must be one of ${REPORT_CATEGORIES.join(', ')}.`);
  }
  const description = text('description');
  if ([...description].length < DESCRIPTION.min || isLongerThan(description, DESCRIPTION.max)) {
    issues.add(
      'VALIDATION_FAILED',
      'description',
      `has ${DESCRIPTION.min} to ${DESCRIPTION.max} characters.`,
    );
  } else if (!isStorable(description)) issues.add('VALIDATION_FAILED', 'description', NOT_STORABLE);
  const reporterEmail = text('reporterEmail') || null;
  const isText = ['string', 'undefined'].includes(typeof (fields.reporterEmail ?? undefined));
  if (!isText || (reporterEmail !== null && !isEmailAddress(reporterEmail))) {
    issues.add('VALIDATION_FAILED', 'reporterEmail', 'must be an e-mail address, or be left out.');
  }
  const named = parseNamedItem(fields, issues);
  issues.throwIfAny();
  return { reportedUrl, category: category ?? 'other', description, reporterEmail, named };
}

/** An address that people can open, and a reviewer safely. */
const isWebAddress = (url: string): boolean =>
  url.length <= URL_CHARACTERS &&
  isLine(url) &&
  URL.canParse(url) &&
  ['http:', 'https:'].includes(new URL(url).protocol);

const isEmailAddress = (text: string): boolean => EMAIL.test(text) && isLine(text);
