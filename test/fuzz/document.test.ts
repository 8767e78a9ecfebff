import { ownEnvironment } from '../../infra/environment.ts';
import { atDepth } from '../depth.ts';
import { documentInstance } from '../openapi/instance.ts';
import { fuzzOperations } from './fuzz-operations.ts';

const { FUZZ_SEED, FUZZ_REQUESTS, FUZZ_OPERATION, PERCH_TEST_MODE } = ownEnvironment();

/** Of the two modes this one adds only the messages between processes: the embedded one finds all that the request alone decides. */
const isSecondMode = PERCH_TEST_MODE === 'distributed';

/** Another seed each time, so that a night finds what the last one did not; FUZZ_SEED repeats a run. */
const seed = Number(FUZZ_SEED ?? crypto.getRandomValues(new Int32Array(1))[0]);

fuzzOperations({
  perch: documentInstance,
  requests: Number(FUZZ_REQUESTS ?? atDepth(isSecondMode ? 1_000 : 3_000, 3_000, 10_000)),
  seed,
  only: FUZZ_OPERATION ?? '',
});
