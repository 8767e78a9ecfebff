import type { TSchema } from '@sinclair/typebox';
import { ACCESS_LOG_SCHEMAS } from './features/admin/access-log.ts';
import { ACCESS_STATISTICS_SCHEMAS } from './features/admin/access-statistics.ts';
import { AUDIT_SCHEMAS } from './features/admin/audit.ts';
import { BLOCKED_CONTENT_SCHEMAS } from './features/admin/blocked-content.ts';
import { BLOCKLIST_SCHEMAS } from './features/admin/blocklist.ts';
import { VISIBILITY_SCHEMAS } from './features/admin/item-visibility.ts';
import { NOTIFICATION_SCHEMAS } from './features/admin/notifications.ts';
import { OWNER_ADMIN_SCHEMAS } from './features/admin/owner-terms.ts';
import { PUBLICATION_SCHEMAS } from './features/admin/publications.ts';
import { REPORTED_ITEM_SCHEMAS } from './features/admin/reported-items.ts';
import { ADMIN_REPORT_SCHEMAS } from './features/admin/reports.ts';
import { SCAN_SCHEMAS } from './features/admin/scans.ts';
import { TAKEDOWN_SCHEMAS } from './features/admin/takedowns.ts';
import { DOMAIN_SCHEMAS } from './features/domains/operations.ts';
import { GALLERY_SCHEMAS } from './features/gallery/routes.ts';
import { HEALTH_SCHEMAS } from './features/health/routes.ts';
import { HOSTING_SCHEMAS } from './features/hosting/routes.ts';
import { MCP_SCHEMAS } from './features/mcp/routes.ts';
import { NAMESPACE_SCHEMAS } from './features/namespaces/routes.ts';
import { ANY_ITEM_SCHEMAS } from './features/owner/any-item.ts';
import { ITEM_STATS_SCHEMAS } from './features/owner/item-stats.ts';
import { OWNER_SCHEMAS } from './features/owner/tokens.ts';
import { REPORT_SCHEMAS } from './features/reports/submit-report.ts';
import { HISTORY_SCHEMAS } from './features/stats/history.ts';
import { STATS_SCHEMAS } from './features/stats/routes.ts';
import { ErrorSchema } from './openapi/error-samples.ts';
import { ITEM_SCHEMAS } from './openapi/item-schemas.ts';
import { QUARANTINE, UPLOAD_RESULT } from './openapi/schema-parts.ts';

/** Schemas under `#/components/schemas`. */
export const SCHEMAS: Record<string, TSchema> = {
  Error: ErrorSchema,
  ...UPLOAD_RESULT,
  Quarantine: QUARANTINE,

  ...ITEM_SCHEMAS,

  ...HOSTING_SCHEMAS,
  ...DOMAIN_SCHEMAS,
  ...GALLERY_SCHEMAS,
  ...OWNER_SCHEMAS,
  ...ANY_ITEM_SCHEMAS,
  ...ITEM_STATS_SCHEMAS,
  ...NAMESPACE_SCHEMAS,
  ...REPORT_SCHEMAS,
  ...ADMIN_REPORT_SCHEMAS,
  ...REPORTED_ITEM_SCHEMAS,
  ...TAKEDOWN_SCHEMAS,
  ...BLOCKED_CONTENT_SCHEMAS,
  ...NOTIFICATION_SCHEMAS,
  ...BLOCKLIST_SCHEMAS,
  ...AUDIT_SCHEMAS,
  ...OWNER_ADMIN_SCHEMAS,
  ...PUBLICATION_SCHEMAS,
  ...VISIBILITY_SCHEMAS,
  ...SCAN_SCHEMAS,
  ...STATS_SCHEMAS,
  ...HISTORY_SCHEMAS,
  ...ACCESS_LOG_SCHEMAS,
  ...ACCESS_STATISTICS_SCHEMAS,
  ...HEALTH_SCHEMAS,
  ...MCP_SCHEMAS,
};
