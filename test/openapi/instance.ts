import { join } from 'node:path';
import { startInstance } from '../instance.ts';
import { oncePerRun } from '../started.ts';
import { EXAMPLE_ADMIN_PASSWORD } from './example-items.ts';
import { EXAMPLE_INDEXNOW_KEY } from './example-requests.ts';

/** The Perch of all test files here: it has an operator, and clients that say where they come from. */
export const documentInstance = oncePerRun(() =>
  startInstance({
    joined: true,
    env: {
      ADMIN_PASSWORD: EXAMPLE_ADMIN_PASSWORD,
      TRUST_PROXY: '1',
      INDEXNOW_KEY: EXAMPLE_INDEXNOW_KEY,
      // Nobody answers there: no question leaves this machine.
      CUSTOM_DOMAINS: 'true',
      DNS_SERVERS: '127.0.0.1:9',
      // A rescan needs something to look for.
      LINK_BLOCKLIST: join(import.meta.dirname, 'linked-hosts.txt'),
    },
  }),
);
