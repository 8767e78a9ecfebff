import type { AuditAction } from '../../../../../shared/contracts/audit.ts';
import type { InputOf } from '../../../../../shared/contracts/operation.ts';
import type { setOwnerTerms } from '../../../../../shared/contracts/owner-admin.ts';
import type { ReportStatus, reviewReportedItem } from '../../../../../shared/contracts/reports.ts';
import { TAKEDOWN_ITEMS } from '../../../../../shared/contracts/takedowns.ts';
import { errors } from '../../../../../shared/errors.ts';
import type { ItemRef } from '../../../../../shared/items/item.ts';
import { collectIssues } from '../../../http/validation-issues.ts';
import { itemNamed } from '../../../items/find-live-item.ts';
import { parseBlock, REASON_CHARACTERS } from '../block-input.ts';
import { parseContentBlock } from '../blocked-content.ts';
import { parseFindingId } from '../item-visibility.ts';
import { notificationNamed } from '../notifications.ts';
import type { Takedown } from '../operator-actions.ts';
import { ownerNamed, parseTerms } from '../owner-terms.ts';
import { parseNote, reportNamed } from '../review-input.ts';
import { parseTakedown } from '../takedowns.ts';
import type { Words } from './words.ts';

/** One thing that an operator wants done. */
export type Step =
  | { do: 'take-down-item'; item: ItemRef; blockContent: boolean }
  | { do: 'hide-item' | 'show-item'; item: ItemRef }
  | { do: 'release-item'; item: ItemRef; findingId: string }
  | { do: 'start-rescan' }
  | { do: 'take-down-many'; takedown: Takedown }
  | { do: 'block-content'; hash: string; reason: string }
  | { do: 'unblock-content'; hash: string }
  | { do: 'resend-notification'; id: string }
  | ({ do: 'review-reported-item' } & Omit<InputOf<typeof reviewReportedItem>, 'actor'>)
  | { do: 'take-down-owner'; ownerId: string }
  | { do: 'set-owner-terms'; terms: Omit<InputOf<typeof setOwnerTerms>, 'actor'> }
  | { do: 'block-clients'; clients: ReturnType<typeof parseBlock> }
  | { do: 'end-block'; id: string }
  | { do: 'review-report'; reportId: string; status?: ReportStatus; reviewerNote?: string | null };

/** Everything that a form of the console asks for, in the order in which it is done. */
export interface Plan {
  steps: Step[];
  /** The operator's reason, for the audit trail. */
  note: string | null;
  /** The page to return to. */
  back: string;
  /** Whether the operator is asked once more before it is done. */
  asks: boolean;
}

/** Steps that cannot be undone, or that shut somebody out. */
const ASKED: ReadonlySet<AuditAction> = new Set([
  ...(['take-down-item', 'take-down-many', 'take-down-owner', 'block-clients', 'block-content'] as const),
]);

/** How long a client is blocked from a report, in ISO 8601. */
const BLOCK_DURATION = 'P30D';

/** Reads a form of the console. @throws VALIDATION_FAILED that names every issue; NOT_FOUND for what can be nobody's name */
export function planOf(fields: URLSearchParams, now: number, words: Words): Plan {
  const issues = collectIssues();
  const note = parseNote(fields.get('note'), 'reviewerNote', issues);
  issues.throwIfAny();
  const steps = stepsOf(fields, note, now, words);
  const asks = steps.some((step) => ASKED.has(step.do));
  return { steps, note, back: backOf(fields.get('back') ?? ''), asks };
}

/** A page of the console; anything else leads to its first one. */
export const backOf = (text: string): string =>
  /^\/admin(?:[/?][\w\-./?=&%+:~]*)?$/.test(text) ? text : '/admin';

function stepsOf(fields: URLSearchParams, note: string | null, now: number, words: Words): Step[] {
  const text = (name: string): string => fields.get(name)?.trim() ?? '';
  const item = (): ItemRef => {
    const [ns = '', id = '', ...rest] = text('item').split('/');
    return itemNamed({ ns, id: [id, ...rest].join('/') });
  };
  const review = (status?: 'actioned' | 'dismissed'): Step[] => {
    if (text('reports') === 'all' && status !== undefined)
      return [
        {
          ...{ do: 'review-reported-item', ...item(), status },
          ...(note === null ? {} : { reviewerNote: note }),
        },
      ];
    if (text('report') === '') return [];
    const reportId = reportNamed(text('report'));
    return [
      { do: 'review-report', reportId, reviewerNote: note, ...(status === undefined ? {} : { status }) },
    ];
  };
  switch (text('action')) {
    case 'take-down':
      return [
        { do: 'take-down-item', item: item(), blockContent: fields.getAll('also').includes('content') },
        ...alsoOf(fields, note, now, words),
        ...review('actioned'),
      ];
    case 'hide':
      return [{ do: 'hide-item', item: item() }, ...review('actioned')];
    case 'show':
      return [{ do: 'show-item', item: item() }];
    case 'release':
      return [{ do: 'release-item', item: item(), findingId: parseFindingId(text('finding')) }];
    case 'rescan':
      return [{ do: 'start-rescan' }];
    case 'settle':
      return review('actioned');
    case 'dismiss':
      return review('dismissed');
    case 'note':
      return review();
    case 'take-down-owner':
      return [{ do: 'take-down-owner', ownerId: ownerNamed(text('owner')) }];
    case 'take-down-many':
      return [{ do: 'take-down-many', takedown: takedownOf(fields) }];
    case 'block-content': {
      const block = parseContentBlock({ sha256: text('sha256'), reason: text('reason') });
      return [{ do: 'block-content', ...block }];
    }
    case 'resend':
      return [{ do: 'resend-notification', id: notificationNamed(text('id')) }];
    case 'unblock-content':
      return [{ do: 'unblock-content', hash: text('hash') }];
    case 'terms':
      return [{ do: 'set-owner-terms', terms: termsOf(fields) }];
    case 'block':
      return [{ do: 'block-clients', clients: clientsOf(fields, now) }];
    case 'end-block':
      return [{ do: 'end-block', id: text('id') }];
    default:
      throw errors.validationFailed([{ field: 'action', message: 'is none that the console has.' }]);
  }
}

/** Steps that go with a takedown: everything of the owner, and the client it came from. */
function alsoOf(fields: URLSearchParams, note: string | null, now: number, { texts }: Words): Step[] {
  const also = new Set(fields.getAll('also'));
  const steps: Step[] = [];
  if (also.has('owner'))
    steps.push({ do: 'take-down-owner', ownerId: ownerNamed(fields.get('owner') ?? '') });
  if (also.has('block')) {
    const reason = oneLine(note ?? '') || texts.actions.reason(fields.get('item') ?? '');
    const clients = parseBlock({ ip: fields.get('client'), reason, duration: BLOCK_DURATION }, now);
    steps.push({ do: 'block-clients', clients });
  }
  return steps;
}

/** A note as the reason of a block, which is one line. */
const oneLine = (text: string): string =>
  text.replace(/\s+/g, ' ').trim().slice(0, REASON_CHARACTERS).toWellFormed();

/** As many items as one takedown can remove; the operator sees then what is left. */
const takedownOf = (fields: URLSearchParams): Takedown =>
  parseTakedown({
    ...Object.fromEntries(
      ['ownerId', 'network', 'sha256'].map((name) => [name, fields.get(name) ?? undefined]),
    ),
    ...{ blockContent: fields.get('blockContent') === '1', reason: fields.get('reason') },
    limit: TAKEDOWN_ITEMS,
  });

function clientsOf(fields: URLSearchParams, now: number): ReturnType<typeof parseBlock> {
  const [ip, uaPattern] = [fields.get('ip'), fields.get('ua')];
  return parseBlock({ ip, uaPattern, reason: fields.get('reason'), duration: fields.get('duration') }, now);
}

function termsOf(fields: URLSearchParams): Omit<InputOf<typeof setOwnerTerms>, 'actor'> {
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
