import { errors } from '../../../../shared/errors.ts';

/** Runs file work of ours whose failure is no fault of the client. */
export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw errors.unavailable('temporary storage', error);
  }
}
