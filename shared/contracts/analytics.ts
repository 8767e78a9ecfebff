import { Type } from '@sinclair/typebox';
import { defineOperation } from './operation.ts';

/** Whether the service and its database answer. */
export const pingAnalytics = defineOperation({
  subject: 'analytics.ping',
  input: Type.Object({}),
  reply: Type.Object({}),
  timeoutMs: 2_000,
  retry: false,
});
