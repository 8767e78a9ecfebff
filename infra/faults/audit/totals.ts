import { readdir } from 'node:fs/promises';
import type { Sql } from 'postgres';
import type { Note } from '../../load/findings.ts';
import { AGENT, send } from '../../load/send.ts';
import type { Views } from '../../load/writer.ts';
import { until } from '../../until.ts';

/** Views are saved every three seconds, and at most so much later after a loss (ms). */
const SNAPSHOT_MS = 10_000;
const PATIENCE_MS = 20_000;

/** The statistics, which are counted along with every change, agree with what is there. */
export async function auditTotals(sql: Sql, gateway: string, note: Note): Promise<void> {
  let is = '';
  const agrees = async (): Promise<boolean> => {
    const [row] = await sql<Array<{ items: number; bytes: string }>>`
      select (select count(*)::int from items where expires_at > now()) as items,
        (select coalesce(sum(size_bytes), 0) from items where kind <> 'kv') +
        (select coalesce(sum(size_bytes), 0) from kv_entries) as bytes`;
    const seen = await send(`${gateway}/api/stats`);
    const stats = JSON.parse(seen.answered ? seen.text : '{}') as {
      activeItems?: number;
      storedBytes?: number;
    };
    is = `${stats.activeItems} items of ${row?.items}, ${stats.storedBytes} bytes of ${row?.bytes}`;
    return stats.activeItems === row?.items && stats.storedBytes === Number(row?.bytes);
  };
  await until('the statistics agree with the items', agrees, PATIENCE_MS).catch(() =>
    note('rows', `statistics: ${is}`),
  );
}

/** The views of the moment lie in the table after the bound of a snapshot. */
export async function auditSavedViews(
  sql: Sql,
  gateway: string,
  pages: Array<{ namespace: string; id: string }>,
  note: Note,
): Promise<void> {
  for (const { namespace, id } of pages) {
    const views = await viewsOf(gateway, `/${namespace}/${id}`);
    let saved = -1;
    const isSaved = async (): Promise<boolean> => {
      const [row] = await sql<Array<{ views: string }>>`
        select views from items where namespace = ${namespace} and id = ${id}`;
      saved = Number(row?.views ?? -1);
      return saved === views;
    };
    await until('the views are saved', isSaved, SNAPSHOT_MS).catch(() =>
      note('views', `/${namespace}/${id} has ${views} views, and ${saved} are saved`),
    );
  }
}

/** No upload has left a file behind. */
export async function auditUploads(folder: string, note: Note): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const left = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  if (left.length > 0)
    note('blobs', `${left.length} files of uploads are left: ${left.slice(0, 3).join(', ')}`);
}

const COUNTED_WITHIN_MS = 12_000;
const PAUSE_MS = 100;
/** Counts that may lack some, and stay as they are for so long, are whole: a cache brings back nothing that it has lost. */
const SETTLED_MS = 3_000;

/** The views of a page, by a HEAD, which counts none; `null`: it is not answered. */
async function viewsOf(gateway: string, path: string): Promise<number | null> {
  const request = { method: 'HEAD', headers: AGENT, signal: AbortSignal.timeout(10_000) };
  const answer = await fetch(`${gateway}${path}`, request).catch(() => null);
  return answer?.ok ? Number(answer.headers.get('x-views')) : null;
}

/**
 * Waits until all views of a page are counted, as what was counted without the cache is added when that is back.
 * Returns how many are missing: none, unless the cache itself was lost.
 */
export async function auditViews(
  gateways: string[],
  path: string,
  { counted, uncertain }: Views,
  { mayMiss, note }: { mayMiss: number; note: Note },
): Promise<number> {
  const deadline = Date.now() + COUNTED_WITHIN_MS;
  let found: Array<number | null> = [];
  let changedAt = Date.now();
  const isWhole = (): boolean =>
    found.length > 0 && found.every((views) => views !== null && views >= counted);
  const isSettled = (): boolean =>
    mayMiss > 0 && !found.includes(null) && Date.now() - changedAt >= SETTLED_MS;
  while (!isWhole() && !isSettled() && Date.now() < deadline) {
    const now = await Promise.all(gateways.map((gateway) => viewsOf(gateway, path)));
    if (!Bun.deepEquals(now, found)) changedAt = Date.now();
    found = now;
    if (!isWhole()) await Bun.sleep(PAUSE_MS);
  }
  const is = `${path} has ${found.join(' and ')} views of ${counted} (${uncertain} uncertain)`;
  const least = Math.min(...found.map((views) => views ?? 0));
  const most = Math.max(...found.map((views) => views ?? 0));
  if (least < counted - mayMiss || most > counted + uncertain) note('views', is);
  return Math.max(0, counted - least);
}
