import type { putEntry } from '../../../../shared/contracts/kv.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import { errors } from '../../../../shared/errors.ts';
import { issueOfKeyName } from '../../../../shared/wording/key-issue.ts';
import { ifMatchOfChange, requiresAbsence, unquoted } from '../../http/conditional.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';

/** The parts of a key's path, decoded and unchecked. */
export type KeyAddress = ItemAddress & { key: string };

/** The reason why a value cannot be a key (specification 5.2), or `null` when it can. */
export function issueOfKey(key: unknown): string | null {
  if (key === undefined || key === null) return 'is missing; send the name of the key as text.';
  if (typeof key !== 'string') return 'must be text.';
  return issueOfKeyName(key);
}

/** Whether a store can have a key of that name. */
export const isKey = (key: string): boolean => issueOfKey(key) === null;

const PLAIN_KEY_PATH = /^\/api\/kv\/([^/%]+)\/([^/%]+)\/([^/%]+)$/;

/** The key that a path of the API names, when nothing in it has to be decoded. */
export function plainKeyAddress(path: string): KeyAddress | null {
  const [, ns, id, key] = PLAIN_KEY_PATH.exec(path) ?? [];
  return ns === undefined || id === undefined || key === undefined ? null : { ns, id, key };
}

type Conditions = Pick<InputOf<typeof putEntry>, 'ifMatch' | 'ifAbsent'>;

/** If-Match as the contract has it. @throws PRECONDITION_FAILED for a header that no key can match; VALIDATION_FAILED */
function readIfMatch(request: Request): Conditions['ifMatch'] {
  const condition = ifMatchOfChange(request);
  if (condition === null) return null;
  if (condition === '*') return [];
  if (condition.length === 0) throw errors.preconditionFailed();
  return condition.map(unquoted);
}

/** The conditions of a write or a removal (RFC 9110, section 13.1). @throws PRECONDITION_FAILED, VALIDATION_FAILED */
export function readConditions(request: Request): Conditions {
  return { ifAbsent: requiresAbsence(request), ifMatch: readIfMatch(request) };
}
