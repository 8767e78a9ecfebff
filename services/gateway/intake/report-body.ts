import { REPORT_CATEGORIES, type submitReport } from '../../../shared/contracts/content.ts';
import type { InputOf } from '../../../shared/contracts/operation.ts';
import { ITEM_ID, NAMESPACE } from './addresses.ts';
import { collectFaults } from './faults.ts';

const DESCRIPTION = { min: 10, max: 5000 };
const URL_CHARACTERS = 2000;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/** A report's fields, checked (shapes.md, "reports"). @throws VALIDATION_FAILED that names every fault */
export function parseReport(fields: Record<string, unknown>, reportId: string): InputOf<typeof submitReport> {
  const faults = collectFaults();
  const text = (name: string): string => (typeof fields[name] === 'string' ? fields[name].trim() : '');
  const reportedUrl = text('reportedUrl');
  if (!URL.canParse(reportedUrl) || reportedUrl.length > URL_CHARACTERS) {
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
    [...description].length > DESCRIPTION.max ||
    description.includes('\0')
  ) {
    faults.add(
      'VALIDATION_FAILED',
      'description',
      `has ${DESCRIPTION.min} to ${DESCRIPTION.max} characters.`,
    );
  }
  const reporterEmail = text('reporterEmail') || null;
  if (reporterEmail !== null && !EMAIL.test(reporterEmail)) {
    faults.add('VALIDATION_FAILED', 'reporterEmail', 'must be an e-mail address, or be left out.');
  }
  faults.throwIfAny();
  const named = { namespace: text('resourceNamespace'), id: text('resourceId') };
  const item = NAMESPACE.test(named.namespace) && ITEM_ID.test(named.id) ? named : itemOfUrl(reportedUrl);
  return { reportedUrl, category: category ?? 'other', description, reporterEmail, ...item, reportId };
}

/** The item that an address of ours names. */
export function itemOfUrl(url: string): { namespace: string | null; id: string | null } {
  const [namespace = '', id = ''] = URL.canParse(url) ? new URL(url).pathname.split('/').slice(1) : [];
  return NAMESPACE.test(namespace) && ITEM_ID.test(id) ? { namespace, id } : { namespace: null, id: null };
}
