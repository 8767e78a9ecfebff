import { afterAll } from 'bun:test';
import { endRun } from './started.ts';

// Loaded before the first test file (bunfig.toml): what is said here counts for the run, not for a file.
afterAll(endRun, 60_000);
