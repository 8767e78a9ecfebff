import { fuzzOperations } from '../fuzz/fuzz-operations.ts';
import { documentInstance } from './instance.ts';

// A sample of what `npm run test:full` sends (test/fuzz), always of the same requests.
fuzzOperations({ perch: documentInstance, requests: 500, seed: 20_261_122 });
