import { SCHEMAS } from '../../services/gateway/document-schemas.ts';
import { LimitsSchema } from '../../services/gateway/features/limits/routes.ts';
import { createTools } from '../../services/gateway/features/mcp/routes.ts';

/** The tools for agents, as a server lists them. */
export const TOOLS = createTools({ ...SCHEMAS, Limits: LimitsSchema });
