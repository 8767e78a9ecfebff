import { startInstance } from '../instance.ts';
import { oncePerRun } from '../once-per-run.ts';

/** The Perch of all test files here. */
export const clientInstance = oncePerRun(() => startInstance({ joined: true }));
