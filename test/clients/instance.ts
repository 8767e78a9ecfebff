import { startInstance } from '../instance.ts';
import { oncePerRun } from '../started.ts';

/** The Perch of all test files here. */
export const clientInstance = oncePerRun(() => startInstance({ joined: true }));
