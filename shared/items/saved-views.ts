import type { ItemRef } from './item.ts';
import type { Query } from './sql.ts';

/** The view counter of an item. */
export interface CountedViews extends ItemRef {
  /** The item's short code: another may have its address by now. */
  code: string;
  views: number;
}

/**
 * Saves view counters with their items, all in one statement. A saved number is never lowered, so late or repeated saves
 * do no harm. The rows are locked in the order of their addresses: of two that save the same items none waits in a circle.
 */
export async function saveViews(sql: Query, counted: CountedViews[]): Promise<void> {
  const column = <K extends keyof CountedViews>(name: K) => counted.map((one) => one[name]);
  await sql`
    with behind as materialized (
      select items.namespace, items.id, counted.views
      from unnest(
        ${column('namespace')}::text[], ${column('id')}::text[], ${column('code')}::text[], ${column('views')}::int8[]
      ) as counted (namespace, id, code, views)
      join items on items.namespace = counted.namespace and items.id = counted.id
        and items.code = counted.code and items.views < counted.views
      order by items.namespace, items.id for no key update of items
    )
    update items set views = behind.views from behind
    where items.namespace = behind.namespace and items.id = behind.id and items.views < behind.views`;
}
