import { runService } from '../../shared/wiring/run-service.ts';
import { startContent } from './service.ts';

await runService('content', startContent);
