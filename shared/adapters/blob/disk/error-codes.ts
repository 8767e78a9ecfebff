import { errorCode } from '../../../error-code.ts';

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
