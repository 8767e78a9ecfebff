import { atDepth } from '../depth.ts';
import { fuzzOperations } from '../fuzz/fuzz-operations.ts';
import { documentInstance } from './instance.ts';

// In `npm test` a sample of what longer runs send (test/fuzz), always of the same requests; there it is a glance.
fuzzOperations({ perch: documentInstance, requests: atDepth(50, 500), seed: 20_261_122 });
