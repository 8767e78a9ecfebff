import { runService } from '../../shared/wiring/run-service.ts';
import { startSite } from './service.ts';

await runService('site', startSite);
