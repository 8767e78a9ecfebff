import { type Instance, type Mode, modeUnderTest, startInstance } from './instance.ts';
import { oncePerRun } from './once-per-run.ts';

/** Two processes of each service where there are processes, and nobody else's servers: others start and stop beside it. */
const OPTIONS = { gateways: 2, contents: 2, kvs: 2, sites: 2, ownServers: true };

const shared = {
  embedded: oncePerRun(() => startInstance({ ...OPTIONS, mode: 'embedded' })),
  distributed: oncePerRun(() => startInstance({ ...OPTIONS, mode: 'distributed' })),
};

/** The one Perch of all test files of a run that want nothing special of theirs. It holds what earlier files left there. */
export const sharedInstance = (mode: Mode = modeUnderTest()): Promise<Instance> => shared[mode]();
