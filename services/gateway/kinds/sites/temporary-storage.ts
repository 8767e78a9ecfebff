import { storageFailure } from '../../../../shared/storage-failure.ts';

/** Runs file work on the server's own disk. @throws UNAVAILABLE or STORAGE_FULL, as the client is not at fault */
export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageFailure('disk space for uploads', error);
  }
}
