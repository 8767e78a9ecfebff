import postgres, { type ISql, type Sql } from 'postgres';

/** Moments travel as milliseconds since the epoch, both ways. */
interface DatabaseTypes extends Record<string, unknown> {
  instant: number;
}

/** The database as the repositories know it: a pool, or one transaction of it. */
export type Database = Sql<DatabaseTypes>;
export type Query = ISql<DatabaseTypes>;

/** The name of the constraint that a failed insert broke, or `null` when it failed otherwise. */
export function brokenConstraint(error: unknown): string | null {
  const UNIQUE_VIOLATION = '23505';
  if (!(error instanceof postgres.PostgresError) || error.code !== UNIQUE_VIOLATION) return null;
  return error.constraint_name ?? null;
}
