import { readdir } from 'node:fs/promises';
import type { Sql } from 'postgres';
import type { Note } from '../../load/findings.ts';
import { send } from '../../load/send.ts';
import { until } from '../../until.ts';
import { viewsOf } from './views.ts';

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
