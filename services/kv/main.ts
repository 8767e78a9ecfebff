import { runService } from '../../shared/wiring/run-service.ts';
import { startKv } from './service.ts';

await runService('kv', startKv);
