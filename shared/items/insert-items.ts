import type { CreateInput, IdempotencyRecord } from '../contracts/create.ts';
import { type AnyItem, COLUMNS } from './item-repository.ts';
import type { Query } from './sql.ts';

/** An item to be made, and what is noted with it. */
export interface NewItem {
  item: AnyItem & { fileEtags?: string[] | null };
  idempotency: IdempotencyRecord;
  sender: CreateInput['sender'];
}

/**
 * Inserts an item with its sender and the record of its idempotency key; the caller's transaction decides. Returns the
 * version it got. Both statements are sent at once: the second is carried out, and sees what there is, after the first.
 */
export async function insertItem(
  sql: Query,
  item: AnyItem,
  idempotency: IdempotencyRecord,
  sender: CreateInput['sender'],
): Promise<number> {
  const { namespace, id, createdAt } = item;
  const { clientIp = null, userAgent = null } = sender ?? {};
  const columns: Record<string, unknown> = { ...item, clientIp, userAgent };
  const inserting = sql<Array<{ version: number }>>`
    insert into items ${sql(columns, ...COLUMNS, 'clientIp', 'userAgent', ...('fileEtags' in item ? ['fileEtags'] : []))}
    returning version`;
  // The insert takes its version and then may wait for a removal that frees the address: only from here on it is seen.
  const noting = sql<Array<{ version: number }>>`
    with receipt as (
      insert into create_receipts (receipt, fingerprint, salt, namespace, id, created_at)
      values (
        ${idempotency.key}, ${idempotency.fingerprint}, ${idempotency.salt ?? null}, ${namespace}, ${id}, ${createdAt}
      )
    )
    update items set version = next_item_version()
    where namespace = ${namespace} and id = ${id} and version < (
      select max(version) from tombstones where namespace = ${namespace} and id = ${id}
    ) returning version`;
  const [[row], [later]] = await Promise.all([inserting, noting]);
  if (row === undefined) throw new Error('an insert returned no row');
  return later?.version ?? row.version;
}

/** Conditions of a commit, and the blobs and contents of all items in it. */
interface SharedCommit {
  /** Reserved keys of all of their blobs. */
  blobKeys: string[];
  /** ETags of all of their contents. */
  etags: string[];
  /** Ms since the epoch. */
  now: number;
  /** When they must be committed, in ms since the epoch by the database's clock (`DatabaseClock`). */
  commitBy: number;
  /** Longest wait for a row or lock that another transaction holds, in ms. */
  lockMs: number;
}

/**
 * Makes items whose ids chance chose, by one statement that is a transaction: 60 random bits, so that no removal of an
 * earlier item at such an address has to be looked for. Returns the version of each by its short code.
 *
 * Their rows travel as one text, as a statement with a parameter for each field would be another one for each number of
 * items.
 * @throws whatever is wrong with one of them; nothing was made then
 */
export async function makeItems(
  sql: Query,
  items: readonly NewItem[],
  { blobKeys, etags, now, commitBy, lockMs }: SharedCommit,
): Promise<Map<string, number>> {
  const rows = await sql<Array<{ code: string; version: number }>>`
    select code, version from make_items(
      ${JSON.stringify(items.map(rowOf))}::text::json,
      ${JSON.stringify(items.map(idempotencyRowOf))}::text::json,
      ${blobKeys}::text[], ${etags}::text[], ${now}, ${commitBy}, ${lockMs} * interval '1 ms')`;
  return new Map(rows.map(({ code, version }) => [code, version]));
}

const INSERTED = [...COLUMNS, 'clientIp', 'userAgent', 'fileEtags'] as const;

/** An instant as PostgreSQL reads it, of ms since the epoch. */
const instant = (ms: number): string => new Date(ms).toISOString();

const INSTANTS = ['createdAt', 'updatedAt', 'expiresAt'] as const;

const toSnakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const COLUMN_NAMES = new Map<string, string>(INSERTED.map((field) => [field, toSnakeCase(field)]));

/** Its row of `items`, without a version. */
function rowOf({ item, sender }: NewItem): Record<string, unknown> {
  const fields: Record<string, unknown> = { ...item, ...sender };
  for (const field of INSTANTS) fields[field] = instant(item[field]);
  const row: Record<string, unknown> = {};
  for (const [field, column] of COLUMN_NAMES) row[column] = fields[field];
  return row;
}

const idempotencyRowOf = ({
  item: { namespace, id, createdAt },
  idempotency,
}: NewItem): Record<string, unknown> => ({
  receipt: idempotency.key,
  fingerprint: idempotency.fingerprint,
  salt: idempotency.salt,
  namespace,
  id,
  created_at: instant(createdAt),
});
