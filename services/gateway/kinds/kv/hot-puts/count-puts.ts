import { itemKey, itemOfKey } from '../../../../../shared/items/item.ts';
import { isKind, isVisible } from '../../../../../shared/items/item-record.ts';
import type { Visit } from '../../../../../shared/ports/cache.ts';
import { hashOwnerToken, isSameHash } from '../../../auth/owner-token.ts';
import {
  advance,
  answerOf,
  type CountedGroup,
  createCountedGroups,
  windowOf,
} from '../../../hot-reads/counted-groups.ts';
import type { HotDependencies } from '../../../hot-reads/hot-reads.ts';
import { parseKvBody } from '../value.ts';
import type { Put, Write } from './put.ts';

/** A put that may be done. */
export interface Ready {
  put: Put;
  write: Write;
}

/**
 * Most characters of the values in one message: as JSON within JSON they take twice as many bytes at the most. Puts gather
 * until their bodies have as many bytes; a value may be longer than the body that it came in (1e20 has 21 digits).
 */
export const MESSAGE_CHARACTERS = 524_288;

/**
 * Makes the function that counts puts and finds their stores, in one round trip.
 * @param handOver gets those that may not be done, or not on this path
 */
export function createPutCounter(
  { cache, clock, limits }: Pick<HotDependencies, 'cache' | 'clock' | 'limits'>,
  handOver: (put: Put) => void,
): (arrived: Put[]) => Promise<Ready[]> {
  const limit = limits.limitOf('changes');

  /** `null`: it may not be done, or not on this path. */
  const writeOf = (
    { item, key, token, fastPath, window }: Put,
    outcome: CountedGroup<Visit>['outcome'],
  ): Write | null => {
    if (window !== null && window.hits > limit) return null;
    const record = 'error' in outcome ? null : outcome.value.record;
    if (!isVisible(record, clock.now()) || !isKind(record, 'kv')) return null;
    if (!isSameHash(hashOwnerToken(token), record.ownerHash)) return null;
    const value = valueIn(Bun.peek(fastPath.body));
    return value === null ? null : { ...item, ownerHash: record.ownerHash, key, ...value };
  };

  return async (arrived) => {
    const puts: Put[] = [];
    for (const put of arrived) {
      if (hasBody(put)) puts.push(put);
      else handOver(put);
    }
    const visits = createCountedGroups((item: string) => cache.visit(itemOfKey(item), false));
    const windows = createCountedGroups((client: string, times) => limits.count(client, 'changes', times));
    const counted = puts.map((put) => ({
      put,
      visited: visits.add(itemKey(put.item)),
      window: windows.add(put.client),
    }));
    await Promise.all([visits.ask(), windows.ask()]);
    const ready: Ready[] = [];
    let characters = 0;
    for (const { put, visited, window } of counted) {
      advance(window);
      put.window = windowOf(window);
      put.fastPath.counted = {
        window: put.window,
        visit: async () => ({ ...answerOf(visited), entry: null }),
      };
      const write = writeOf(put, visited.outcome);
      characters += write?.value.length ?? 0;
      if (write === null || characters > MESSAGE_CHARACTERS) handOver(put);
      else ready.push({ put, write });
    }
    return ready;
  };
}

/** Whether the body has come. One that is sent with its headers is here by the end of the turn. */
function hasBody({ fastPath, bytes }: Put): boolean {
  const body = Bun.peek(fastPath.body);
  return body instanceof ArrayBuffer && body.byteLength === bytes;
}

function valueIn(body: unknown): { value: string; sizeBytes: number } | null {
  if (!(body instanceof ArrayBuffer)) return null;
  try {
    return parseKvBody(new Uint8Array(body)).value;
  } catch {
    return null;
  }
}
