import { ownEnvironment } from '../../infra/environment.ts';
import { atDepth } from '../depth.ts';
import { documentInstance } from '../openapi/instance.ts';
import { fuzzOperations } from './fuzz-operations.ts';

const { FUZZ_SEED, FUZZ_REQUESTS, FUZZ_OPERATION, PERCH_TEST_MODE } = ownEnvironment();

/** The distributed mode adds the messages between processes; all that the request alone decides is found on the embedded one. */
const isSecondMode = PERCH_TEST_MODE === 'distributed';

/** Another seed each time, so that a night finds what the last one did not; FUZZ_SEED repeats a run. */
const seed = Number(FUZZ_SEED ?? crypto.getRandomValues(new Int32Array(1))[0]);

fuzzOperations({
  perch: documentInstance,
  requests: Number(FUZZ_REQUESTS ?? atDepth(isSecondMode ? 1_000 : 3_000, 3_000, 10_000)),
  seed,
  only: FUZZ_OPERATION ?? '',
});
