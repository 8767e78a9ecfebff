import type { InputOf } from '../../../shared/contracts/operation.ts';
import { REPORT_CATEGORIES, type submitReport } from '../../../shared/contracts/reports.ts';
import type { ItemRef } from '../../../shared/items/item.ts';
import { parseShortUrl } from '../resolve/short-url.ts';
import { collectFaults } from './faults.ts';
import { CONTROL, isLongerThan } from './parameters.ts';

const DESCRIPTION = { min: 10, max: 5000 };
const URL_CHARACTERS = 2000;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/** A report's fields, checked (shapes.md, "reports"). @throws VALIDATION_FAILED that names every fault */
export function parseReport(fields: Record<string, unknown>, reportId: string): InputOf<typeof submitReport> {
  const faults = collectFaults();
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name].trim() : '');
  const reportedUrl = text('reportedUrl');
  if (!isWebAddress(reportedUrl)) {
    faults.add(
      'VALIDATION_FAILED',
      'reportedUrl',
      `must be the whole address of the page, at most ${URL_CHARACTERS} characters.`,
    );
  }
  const category = REPORT_CATEGORIES.find((known) => known === text('category'));
  if (category === undefined) {
    faults.add('VALIDATION_FAILED', 'category', `must be one of ${REPORT_CATEGORIES.join(', ')}.`);
  }
  const description = text('description');
  if (
    [...description].length < DESCRIPTION.min ||
    isLongerThan(description, DESCRIPTION.max) ||
    description.includes('\0')
  ) {
    faults.add(
      'VALIDATION_FAILED',
      'description',
      `has ${DESCRIPTION.min} to ${DESCRIPTION.max} characters.`,
    );
  }
  const reporterEmail = text('reporterEmail') || null;
  if (reporterEmail !== null && (!EMAIL.test(reporterEmail) || CONTROL.test(reporterEmail))) {
    faults.add('VALIDATION_FAILED', 'reporterEmail', 'must be an e-mail address, or be left out.');
  }
  faults.throwIfAny();
  const named = { namespace: text('resourceNamespace'), id: text('resourceId') };
  const item = itemAt(`/${named.namespace}/${named.id}`) ?? itemOfUrl(reportedUrl);
  return { reportedUrl, category: category ?? 'other', description, reporterEmail, ...item, reportId };
}

/** An address that people can open, and a reviewer safely. */
const isWebAddress = (url: string): boolean =>
  url.length <= URL_CHARACTERS &&
  !CONTROL.test(url) &&
  URL.canParse(url) &&
  ['http:', 'https:'].includes(new URL(url).protocol);

/** The item that a page's address names, whatever its host: the service may have more names than it knows of. */
export function itemOfUrl(url: string): { namespace: string | null; id: string | null } {
  const item = URL.canParse(url) ? itemAt(new URL(url).pathname) : null;
  return item ?? { namespace: null, id: null };
}

function itemAt(path: string): ItemRef | null {
  const item = parseShortUrl(path);
  return item === null ? null : { namespace: item.namespace, id: item.id };
}
