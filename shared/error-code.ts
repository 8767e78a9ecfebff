/** The code that Node, Bun and the clients of servers give an error, such as `ENOENT` or an SQLSTATE; `undefined` where it has none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** For `catch`: an error with this code counts as `null`, others are thrown on. */
export const nullWhen =
  (code: string) =>
  (error: unknown): null => {
    if (errorCode(error) !== code) throw error;
    return null;
  };

/** For `catch`: an error with this code counts as `false`, others are thrown on. */
export const falseWhen =
  (code: string) =>
  (error: unknown): false => {
    if (errorCode(error) !== code) throw error;
    return false;
  };
