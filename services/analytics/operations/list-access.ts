import type { listAccess as listAccessOperation } from '../../../shared/contracts/access-log.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { countAccess } from '../entry-count.ts';
import { listEntries } from '../repository/entries.ts';
import { readSnapshot } from '../repository/snapshot.ts';

/** Entries of the log that pass a filter, newest first, and how many requests there are in all. */
export async function listAccess(
  { sql }: AccessLogDependencies,
  { filter, after, offset, limit, counted }: InputOf<typeof listAccessOperation>,
): Promise<ReplyOf<typeof listAccessOperation>> {
  return await readSnapshot(sql, async (tx) => {
    const found = await listEntries(tx, filter, { after, offset, limit: limit + 1 });
    const items = found.slice(0, limit);
    const more = found.length > limit;
    if (!counted) return { items, more, total: null };
    const isWhole = !more && after === null && offset === 0;
    if (!isWhole) return { items, more, total: await countAccess(tx, filter) };
    const count = items.reduce((sum, { requests }) => sum + requests, 0);
    return { items, more, total: { count, isLowerBound: false } };
  });
}
