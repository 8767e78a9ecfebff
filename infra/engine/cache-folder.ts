import { homedir } from 'node:os';
import { join } from 'node:path';
import { ownEnvironment } from '../environment.ts';

/** Where it is kept what takes minutes to make: about 2 GB, which may be removed at any time. */
export const cacheFolder = (): string =>
  join(ownEnvironment().XDG_CACHE_HOME || join(homedir(), '.cache'), 'perch', 'engine');
