import type { ContentDependencies } from '../dependencies.ts';

/** Resolves when the database answers. */
export async function ping({ sql }: Pick<ContentDependencies, 'sql'>): Promise<Record<string, never>> {
  await sql`select 1`;
  return {};
}
