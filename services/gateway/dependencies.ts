import type { AccessEvents } from './access-log/access-events.ts';
import type { FairBudget } from './admission/fair-budget.ts';
import type { GatewayMetrics } from './admission/metrics.ts';
import type { FailureLog } from './error-response.ts';
import type { AdminDependencies } from './features/admin/admitted.ts';
import type { HealthDependencies } from './features/health/routes.ts';
import type { AnswerWatch } from './items/held-answers.ts';
import type { SiteDependencies } from './kinds/sites/dependencies.ts';

/** All that a gateway works with. A slice below asks for its own part of it. */
export interface GatewayDependencies extends SiteDependencies, AdminDependencies, HealthDependencies {
  /** Places for requests without an answer. */
  places: FairBudget;
  /** Answers that hold room until their readers have them. */
  answers: AnswerWatch;
  /** Room for them, in bytes. */
  unsent: FairBudget;
  metrics: GatewayMetrics;
  accessEvents: AccessEvents;
  failures: FailureLog;
}
