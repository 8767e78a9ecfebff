import { startInstance } from '../instance.ts';
import { oncePerRun } from '../once-per-run.ts';
import { EXAMPLE_ADMIN_PASSWORD } from './example-requests.ts';

/** As in the examples of its file. */
const INDEXNOW_KEY = 'example-index-now-key';

/** The Perch of all test files here: it has an operator, and clients that say where they come from. */
export const documentInstance = oncePerRun(() =>
  startInstance({
    joined: true,
    env: { ADMIN_PASSWORD: EXAMPLE_ADMIN_PASSWORD, TRUST_PROXY: '1', INDEXNOW_KEY },
  }),
);
