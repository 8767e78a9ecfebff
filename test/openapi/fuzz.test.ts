import { atDepth } from '../depth.ts';
import { fuzzOperations } from '../fuzz/fuzz-operations.ts';
import { documentInstance } from './instance.ts';

// Always the same requests: `npm test` sends 300, longer runs 50, as those send thousands of another seed each time (test/fuzz).
fuzzOperations({ perch: documentInstance, requests: atDepth(50, 300), seed: 20_261_122 });
