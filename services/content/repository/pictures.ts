import type { FileContent, HtmlContent } from '../../../shared/items/content.ts';
import type { Query } from '../../../shared/items/sql.ts';

/** An item whose picture is to be made. */
export interface WantedPicture {
  code: string;
  /** Times that somebody has begun to make it, this one included. */
  tries: number;
}

/**
 * Takes one picture of each of some clients, in their order behind a client, and leaves it to no one else until a moment.
 * @param after the client whose turn it was last; `''`: none
 */
export async function takeWantedPictures(
  sql: Query,
  { after, now, until, limit }: { after: string; now: number; until: number; limit: number },
): Promise<Array<WantedPicture & { client: string }>> {
  // From client to client by the index, however many pictures one of them wants.
  return await sql<Array<WantedPicture & { client: string }>>`
    with recursive turn as (
      (select client, 1 as place from item_pictures
        where client is not null and client > ${after} and due_at <= ${now} order by client limit 1)
      union all
      select (
        select next.client from item_pictures as next
        where next.client is not null and next.client > turn.client and next.due_at <= ${now}
        order by next.client limit 1
      ), place + 1
      from turn where turn.client is not null and place < ${limit}
    ), taken as (
      select first.code from turn cross join lateral (
        select code from item_pictures
        where item_pictures.client = turn.client and due_at <= ${now}
        order by due_at, code limit 1 for update skip locked
      ) as first
    )
    update item_pictures set due_at = ${until}, tries = tries + 1
    where code in (select code from taken) returning code, tries, client`;
}

/** An item that is listed, with what its picture is made of. */
export type PicturedItem = { title: string; sizeBytes: number } & (
  | { kind: 'html'; content: HtmlContent }
  | { kind: 'file'; content: FileContent }
);

/** The listed item with a code; `null`: it is none any more. `lock`: nobody changes it until the transaction ends. */
export async function findPictured(
  sql: Query,
  code: string,
  now: number,
  lock = false,
): Promise<PicturedItem | null> {
  const [found] = await sql<PicturedItem[]>`
    select kind, title, size_bytes, content from items
    where code = ${code} and kind in ('html', 'file') and search is not null and not hidden and expires_at > ${now}
    ${lock ? sql`for share` : sql``}`;
  return found ?? null;
}

/** A picture in the blob store. */
export interface StoredPicture {
  key: string;
  width: number;
  height: number;
}

/** Keeps a picture for an item that still wants it; `false`: it does not. */
export async function keepPicture(
  sql: Query,
  code: string,
  { key, width, height }: StoredPicture,
): Promise<boolean> {
  const { count } = await sql`
    update item_pictures set client = null, blob_key = ${key}, width = ${width}, height = ${height}
    where code = ${code} and client is not null`;
  return count === 1;
}

/** A picture and the moment until which it was taken: of an item that has changed since, a new one is wanted. */
export interface TakenPicture {
  code: string;
  until: number;
}

/** Notes that there will be none, unless another one is wanted by now. */
export async function giveUpPicture(sql: Query, { code, until }: TakenPicture): Promise<void> {
  await sql`
    update item_pictures set client = null where code = ${code} and client is not null and due_at = ${until}`;
}

/** Puts a picture off that could not be tried: the try does not count. */
export async function postponePicture(
  sql: Query,
  { code, until }: TakenPicture,
  dueAt: number,
): Promise<void> {
  await sql`
    update item_pictures set due_at = ${dueAt}, tries = tries - 1
    where code = ${code} and client is not null and due_at = ${until}`;
}
