/** The code that Node, Bun and the clients of servers give an error, such as `ENOENT` or an SQLSTATE; `undefined` where it has none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
