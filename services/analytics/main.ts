import { runService } from '../../shared/wiring/run-service.ts';
import { startAnalytics } from './service.ts';

await runService('analytics', startAnalytics, ({ events }) => ({ events: () => events.check() }));
