import { rename, rm, stat } from 'node:fs/promises';
import { nullWhen } from '../../../error-code.ts';

/**
 * Makes room for a new database in `place`, where an earlier folder of the same name had its own: the folder was emptied
 * to start anew. The earlier database, of which no server may run, is kept beside it.
 *
 * @param cluster the folder in `place` that holds a database, if there is one
 * @returns where the earlier database is kept; null when there is none
 */
export async function setAside(place: string, cluster: string): Promise<string | null> {
  // A folder that a failing disk does not show is not taken for none.
  if ((await stat(cluster).catch(nullWhen('ENOENT'))) === null) {
    await rm(place, { recursive: true, force: true });
    return null;
  }
  const kept = `${place}-set-aside-${new Date().toISOString().replaceAll(':', '')}`;
  await rename(place, kept);
  return kept;
}
