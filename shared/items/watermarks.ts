import type { Query } from './sql.ts';

/**
 * How far a background pass has come (ms since the epoch; 0 at first), locked until the transaction ends.
 * `null` when another process holds it.
 */
export async function lockWatermark(sql: Query, name: string): Promise<number | null> {
  await sql`insert into watermarks (name, reached) values (${name}, ${0}) on conflict (name) do nothing`;
  const [found] = await sql<Array<{ reached: number }>>`
    select reached from watermarks where name = ${name} for update skip locked`;
  return found?.reached ?? null;
}

/** How far a background pass has come (ms since the epoch), whoever holds it; 0 before its first time. */
export async function readWatermark(sql: Query, name: string): Promise<number> {
  const [found] = await sql<Array<{ reached: number }>>`select reached from watermarks where name = ${name}`;
  return found?.reached ?? 0;
}

export async function advanceWatermark(sql: Query, name: string, reached: number): Promise<void> {
  await sql`update watermarks set reached = ${reached} where name = ${name}`;
}
