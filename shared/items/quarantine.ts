import { createHash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import type { Query } from './sql.ts';

/**
 * Why an item is in quarantine: a scanner found something in it, it has not been looked through yet, it cannot be, or its
 * pages have links to hosts of the blocklist.
 */
export const QUARANTINE_CAUSES = ['malware', 'unscanned', 'unscannable', 'link'] as const;

export const QuarantineState = Type.Object({
  cause: Type.Union(QUARANTINE_CAUSES.map((cause) => Type.Literal(cause))),
  /** The scanner's name for it, the host, or why it cannot be looked through; empty for what is `unscanned`. */
  verdict: Type.String(),
  /** The file of a site that it is about; `null`: the item's own content. */
  part: Type.Union([Type.String(), Type.Null()]),
  /** Milliseconds since the epoch. */
  since: Type.Integer(),
});
/** The quarantine of an item, as its owner and the operator are told. */
export type QuarantineState = Static<typeof QuarantineState>;

/** Quarantine as `items.quarantine` keeps it. */
export interface Quarantine extends QuarantineState {
  /** Whether the operator has hidden the item besides: then a release leaves it hidden. */
  hidden: boolean;
}

/** A reason for quarantine that was found in a content, before it is kept. */
export type Finding = Pick<QuarantineState, 'cause' | 'verdict' | 'part'>;

export const isSameFinding = (one: Finding, other: Finding): boolean =>
  one.cause === other.cause && one.verdict === other.verdict && one.part === other.part;

/** Names a finding in one content: whoever releases it says by this what they have seen. */
export function findingIdOf(blobKey: string, { cause, verdict, part }: Finding): string {
  const named = JSON.stringify([blobKey, cause, verdict, part]);
  return createHash('sha256').update(named).digest('hex').slice(0, 32);
}

interface Visibility {
  hidden: boolean;
  quarantine: Quarantine | null;
}

/** Whether the operator has hidden an item, its quarantine aside. */
export const isHiddenByOperator = ({ hidden, quarantine }: Visibility): boolean =>
  quarantine === null ? hidden : quarantine.hidden;

/** The visibility of an item whose content has been looked through. `finding` is `null` for one that may be seen. */
export function visibilityOf(before: Visibility, finding: Finding | null, now: number): Visibility {
  const hidden = isHiddenByOperator(before);
  if (finding === null) return { hidden, quarantine: null };
  const { cause, verdict, part } = finding;
  const known = before.quarantine;
  const since = known !== null && isSameFinding(known, finding) ? known.since : now;
  return { hidden: true, quarantine: { cause, verdict, part, since, hidden } };
}

/** A quarantine without the fields that only the services know. */
export function toQuarantineState({ cause, verdict, part, since }: Quarantine): QuarantineState {
  return { cause, verdict, part, since };
}

/** The rows that their owners' lists have: all that the operator has not hidden, those in quarantine, too. */
export const isVisibleToOwner = (sql: Query) =>
  sql`(not hidden or quarantine is not null and not (quarantine ->> 'hidden')::boolean)`;
