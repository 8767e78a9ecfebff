import { resolve } from 'node:path';

/** The schema, applied by whichever process comes first. */
export const MIGRATIONS = resolve(import.meta.dirname, '../../infra/migrations');
