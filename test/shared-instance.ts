import { type Instance, type Mode, modeUnderTest, startInstance } from './instance.ts';
import { oncePerRun } from './started.ts';

/** The password of its operator. */
export const ADMIN_PASSWORD = 'the-operator-of-this-test';

/** Signs its cookies and tickets. */
export const COOKIE_SECRET = 'a secret of the tests, known to them';

/** Headers of a request by its operator. */
export const ADMIN = { 'X-Admin-Password': ADMIN_PASSWORD };

/** Settings of a Perch whose tests wait for no sweep: one that is swept each second takes a fifteenth of a processor. */
export const SELDOM_SWEPT = { SWEEP_INTERVAL_SECONDS: '5' };

/** Its servers are its own, as other instances start and stop beside it. */
const OPTIONS = {
  gateways: 2,
  contents: 2,
  kvs: 2,
  sites: 2,
  ownServers: true,
  env: { ADMIN_PASSWORD, COOKIE_SECRET, TRUST_PROXY: '1', ...SELDOM_SWEPT },
};

const shared = {
  embedded: oncePerRun(() => startInstance({ ...OPTIONS, mode: 'embedded' })),
  distributed: oncePerRun(() => startInstance({ ...OPTIONS, joined: true, mode: 'distributed' })),
};

/** The one Perch of all test files of a run that want nothing special of theirs; holds what earlier files left there. */
export const sharedInstance = (mode: Mode = modeUnderTest()): Promise<Instance> => shared[mode]();
