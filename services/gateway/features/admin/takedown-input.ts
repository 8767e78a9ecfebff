import type { InputOf } from '../../../../shared/contracts/operation.ts';
import {
  TAKEDOWN_ITEMS,
  type TakedownTarget,
  type takeDownMany,
} from '../../../../shared/contracts/takedowns.ts';
import { EMPTY_ETAG, etagOf } from '../../../../shared/items/etag.ts';
import { parseText } from '../../http/parameters.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';
import { parseNetwork, REASON_CHARACTERS } from './block-input.ts';

/** Items of one takedown when the operator names no number. */
export const USUAL_TAKEDOWN_ITEMS = 200;

/** The widest networks that can be taken down, in bits of their prefix: a slip must not remove everything. */
export const WIDEST = { ipv4: 8, ipv6: 16 };

/** A SHA-256 in hex, or its first half, which is the ETag of the content. */
export const CONTENT_HASH = /^(?:[0-9a-f]{32}|[0-9a-f]{64})$/;

export type Takedown = Omit<InputOf<typeof takeDownMany>, 'actor'>;

/** A takedown of several items, checked (specification 18.10). @throws VALIDATION_FAILED that names every issue */
export function parseTakedown(fields: Record<string, unknown>): Takedown {
  const issues = collectIssues();
  const target = parseTarget(fields, issues);
  const limit = parseLimit(fields.limit, issues);
  const blockContent = fields.blockContent ?? false;
  if (typeof blockContent !== 'boolean')
    issues.add('VALIDATION_FAILED', 'blockContent', 'must be true or false.');
  const reason = parseReason(fields.reason, limit > 0, issues);
  issues.throwIfAny();
  return { target, limit, blockContent: blockContent === true, reason };
}

/** Content to block, checked. @throws VALIDATION_FAILED that names every issue */
export function parseContentBlock(fields: Record<string, unknown>): { hash: string; reason: string } {
  const issues = collectIssues();
  const hash = parseHash(fields.sha256, issues);
  if (hash === null && isEmpty(fields.sha256)) issues.add('VALIDATION_FAILED', 'sha256', 'is needed.');
  const reason = parseReason(fields.reason, true, issues);
  issues.throwIfAny();
  return { hash: hash ?? '', reason };
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

function parseReason(value: unknown, needed: boolean, issues: ValidationIssues): string {
  const reason = parseText(value, 'reason', REASON_CHARACTERS, issues);
  if (reason === null && needed)
    issues.add('VALIDATION_FAILED', 'reason', 'is needed, for those who read the audit trail later.');
  return reason ?? '';
}

function parseTarget(fields: Record<string, unknown>, issues: ValidationIssues): TakedownTarget {
  const given = (['ownerId', 'network', 'sha256'] as const).filter((name) => fields[name] !== undefined);
  if (given.length !== 1)
    issues.add('VALIDATION_FAILED', 'body', 'names the items by one of ownerId, network and sha256.');
  for (const name of given)
    if (isEmpty(fields[name])) issues.add('VALIDATION_FAILED', name, 'must not be empty.');
  const ownerId = parseText(fields.ownerId, 'ownerId', 64, issues)?.toLowerCase() ?? null;
  if (ownerId !== null && !/^[0-9a-f]{64}$/.test(ownerId))
    issues.add('VALIDATION_FAILED', 'ownerId', 'must be the SHA-256 of an owner token, in hex.');
  const network = parseNetwork(fields.network, issues, 'network');
  if (network !== null) assertNarrow(network, issues);
  const hash = parseHash(fields.sha256, issues);
  if (ownerId !== null) return { by: 'owner', value: ownerId };
  if (network !== null) return { by: 'network', value: network };
  return { by: 'content', value: hash ?? '' };
}

function assertNarrow(network: string, issues: ValidationIssues): void {
  const [address = '', bits] = network.split('/');
  const widest = address.includes(':') ? WIDEST.ipv6 : WIDEST.ipv4;
  if (bits !== undefined && Number(bits) < widest)
    issues.add('VALIDATION_FAILED', 'network', `may be a /${widest} at the widest.`);
}

/** The hash of content to take down or block. That of no bytes is refused: every empty file has it, whoever sent it. */
function parseHash(value: unknown, issues: ValidationIssues): string | null {
  const hash = parseText(value, 'sha256', 64, issues)?.toLowerCase() ?? null;
  if (hash === null) return null;
  if (!CONTENT_HASH.test(hash))
    issues.add('VALIDATION_FAILED', 'sha256', 'must be a SHA-256 in hex, or its first 32 digits.');
  else if (etagOf({ sha256: hash }) === EMPTY_ETAG)
    issues.add('VALIDATION_FAILED', 'sha256', 'is that of empty content, which anybody may have.');
  return hash;
}

function parseLimit(value: unknown, issues: ValidationIssues): number {
  if (value === undefined || value === null) return USUAL_TAKEDOWN_ITEMS;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= TAKEDOWN_ITEMS)
    return value;
  issues.add('VALIDATION_FAILED', 'limit', `must be a whole number from 0 to ${TAKEDOWN_ITEMS}.`);
  return 0;
}
