import { TAKEDOWN_ITEMS } from '../../../../../shared/contracts/takedowns.ts';
import { errors } from '../../../../../shared/errors.ts';
import type { ItemRef } from '../../../../../shared/items/item.ts';
import type { PerchError } from '../../../../../shared/perch-error.ts';
import { collectIssues } from '../../../http/validation-issues.ts';
import { itemNamed } from '../../../items/find-live-item.ts';
import { blockNamed, parseBlock, REASON_CHARACTERS } from '../block-input.ts';
import { contentHashNamed, parseContentBlock } from '../blocked-content.ts';
import { parseFindingId } from '../item-visibility.ts';
import { notificationNamed } from '../notifications.ts';
import type { BlockInput, OwnerTermsInput, Takedown } from '../operator-actions.ts';
import { ownerNamed, parseTerms } from '../owner-terms.ts';
import { parseNote, parseUntil, reportNamed } from '../review-input.ts';
import { parseTakedown } from '../takedowns.ts';
import * as steps from './steps.ts';
import type { Words } from './words.ts';

/** Everything that a form of the console asks for, in the order in which it is done. */
export interface Plan {
  steps: steps.Step[];
  /** The operator's reason, for the audit trail. */
  note: string | null;
  /** The page to return to. */
  back: string;
  /** Whether the operator is asked once more before it is done. */
  asks: boolean;
}

/** The result of a plan: without failures all of it was done. */
export interface Performed {
  done: steps.Step[];
  /** Outcomes of the steps that were done, for the page that says them. */
  outcomes: steps.Outcome[];
  failures: Array<{ step: steps.Step; error: PerchError }>;
  /** Steps that were not tried. */
  left: steps.Step[];
}

/** How long a client is blocked from a report, in ISO 8601. */
const BLOCK_DURATION = 'P30D';

/** A form of the console as it was sent. */
interface SentForm {
  fields: URLSearchParams;
  note: string | null;
  now: number;
  words: Words;
}

/** Steps of each `action` that a form can name. */
const ACTIONS = new Map<string, (form: SentForm) => steps.Step[]>([
  [
    'take-down',
    (form) => [
      steps.takeDownItem(itemOf(form), form.fields.getAll('also').includes('content')),
      ...alsoOf(form),
      ...reviewOf(form, 'actioned'),
    ],
  ],
  ['hide', (form) => [steps.setHidden(itemOf(form), true), ...reviewOf(form, 'actioned')]],
  ['show', (form) => [steps.setHidden(itemOf(form), false)]],
  ['release', (form) => [steps.releaseItem(itemOf(form), parseFindingId(textOf(form, 'finding')))]],
  ['rescan', () => [steps.startRescan()]],
  ['settle', (form) => reviewOf(form, 'actioned')],
  ['dismiss', (form) => reviewOf(form, 'dismissed')],
  ['note', (form) => reviewOf(form)],
  ['take-down-owner', (form) => [steps.takeDownOwner(ownerNamed(textOf(form, 'owner')))]],
  ['terms', ({ fields }) => [steps.setOwnerTerms(termsOf(fields))]],
  ['block', ({ fields, now }) => [steps.blockClients(clientsOf(fields, now))]],
  ['end-block', (form) => [steps.endBlock(blockNamed(textOf(form, 'id')))]],
  ['take-down-many', ({ fields }) => [steps.takeDownMany(takedownOf(fields))]],
  ['block-content', (form) => [blockContentOf(form)]],
  ['unblock-content', (form) => [steps.unblockContent(contentHashNamed(textOf(form, 'hash')))]],
  ['resend', (form) => [steps.resendNotification(notificationNamed(textOf(form, 'id')))]],
]);

/** The names of all actions. */
export const ACTION_NAMES = [...ACTIONS.keys()];

/** Reads a form of the console. @throws VALIDATION_FAILED that names every issue; NOT_FOUND for what can be nobody's name */
export function planOf(fields: URLSearchParams, now: number, words: Words): Plan {
  const issues = collectIssues();
  const note = parseNote(fields.get('note'), 'reviewerNote', issues);
  issues.throwIfAny();
  const form = { fields, note, now, words };
  const stepsOf = ACTIONS.get(textOf(form, 'action'));
  if (stepsOf === undefined)
    throw errors.validationFailed([{ field: 'action', message: 'is none that the console has.' }]);
  const found = stepsOf(form);
  const asks = found.some((step) => step.asks === true);
  return { steps: found, note, back: backOf(fields.get('back') ?? ''), asks };
}

/** A path with `.` or `..` in it leads somewhere else. */
const DOT_SEGMENT = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** A page of the console; anything else leads to its first one. */
export const backOf = (text: string): string =>
  /^\/admin(?:[/?][\w\-./?=&%+:~]*)?$/.test(text) && !DOT_SEGMENT.test(text) ? text : '/admin';

const textOf = ({ fields }: SentForm, name: string): string => fields.get(name)?.trim() ?? '';

function itemOf(form: SentForm): ItemRef {
  const [ns = '', id = '', ...rest] = textOf(form, 'item').split('/');
  return itemNamed({ ns, id: [id, ...rest].join('/') });
}

/** The review of a report, or of all new ones of an item; without a status it keeps the note alone. */
function reviewOf(form: SentForm, status?: 'actioned' | 'dismissed'): steps.Step[] {
  const { note } = form;
  if (textOf(form, 'reports') === 'all' && status !== undefined) {
    const until = untilOf(form);
    const given = { ...(note === null ? {} : { reviewerNote: note }), ...(until === null ? {} : { until }) };
    return [steps.reviewItem({ ...itemOf(form), status, ...given })];
  }
  if (textOf(form, 'report') === '') return [];
  const reportId = reportNamed(textOf(form, 'report'));
  return [steps.reviewReport({ reportId, reviewerNote: note, ...(status === undefined ? {} : { status }) })];
}

/** When the newest report was received that the page has shown. @throws VALIDATION_FAILED */
function untilOf({ fields }: SentForm): number | null {
  const issues = collectIssues();
  const until = parseUntil(fields.get('until'), issues);
  issues.throwIfAny();
  return until;
}

/** Steps that go with a takedown: everything of the owner, and the client it came from. */
function alsoOf({ fields, note, now, words }: SentForm): steps.Step[] {
  const also = new Set(fields.getAll('also'));
  const found: steps.Step[] = [];
  if (also.has('owner')) found.push(steps.takeDownOwner(ownerNamed(fields.get('owner') ?? '')));
  if (also.has('block')) {
    const reason = oneLine(note ?? '') || words.texts.actions.reason(fields.get('item') ?? '');
    const clients = parseBlock({ ip: fields.get('client'), reason, duration: BLOCK_DURATION }, now);
    found.push(steps.blockClients(clients));
  }
  return found;
}

function blockContentOf(form: SentForm): steps.Step {
  const block = { sha256: textOf(form, 'sha256'), reason: textOf(form, 'reason') };
  const { hash, reason } = parseContentBlock(block);
  return steps.blockContent(hash, reason);
}

/** A note as the reason of a block, which is one line. */
const oneLine = (text: string): string =>
  text.replace(/\s+/g, ' ').trim().slice(0, REASON_CHARACTERS).toWellFormed();

/** A takedown of as many items as one can remove; the operator sees then what is left. */
const takedownOf = (fields: URLSearchParams): Takedown =>
  parseTakedown({
    ...Object.fromEntries(
      ['ownerId', 'network', 'sha256'].map((name) => [name, fields.get(name) ?? undefined]),
    ),
    blockContent: fields.get('blockContent') === '1',
    reason: fields.get('reason'),
    limit: TAKEDOWN_ITEMS,
  });

function clientsOf(fields: URLSearchParams, now: number): BlockInput {
  const [ip, uaPattern] = [fields.get('ip'), fields.get('ua')];
  return parseBlock({ ip, uaPattern, reason: fields.get('reason'), duration: fields.get('duration') }, now);
}

function termsOf(fields: URLSearchParams): OwnerTermsInput {
  const ownerId = ownerNamed(fields.get('owner') ?? '');
  const days = fields.get('days')?.trim() ?? '';
  const note = fields.get('note')?.trim() ?? '';
  return {
    ownerId,
    ...parseTerms({
      tier: fields.get('tier') ?? 'DEFAULT',
      ...(days === '' ? {} : { maxTtlDays: /^\d{1,4}$/.test(days) ? Number(days) : days }),
      label: fields.get('label'),
      // Without a new one the note that is there stays.
      ...(note === '' ? {} : { note }),
    }),
  };
}
