import { storageFailure } from '../../../../shared/storage-failure.ts';

/** Runs file work of ours whose failure is no issue of the client. */
export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageFailure('disk space for uploads', error);
  }
}
