import { errorCode } from '../../../error-code.ts';

/** For `catch`: an error with this code counts as `undefined`, others are thrown on. */
export const undefinedWhen =
  (code: string) =>
  (error: unknown): undefined => {
    if (errorCode(error) !== code) throw error;
  };

/** For `catch`: an error with this code counts as `false`, others are thrown on. */
export const falseWhen =
  (code: string) =>
  (error: unknown): false => {
    if (errorCode(error) !== code) throw error;
    return false;
  };
