import { Type } from '@sinclair/typebox';
import { defineOperation } from './operation.ts';

/** Which of some namespaces have no item at that moment, in their order. */
export const findUnusedNamespaces = defineOperation({
  subject: 'content.find-unused-namespaces',
  input: Type.Object({ candidates: Type.Array(Type.String(), { minItems: 1, maxItems: 64 }) }),
  reply: Type.Object({ unused: Type.Array(Type.String()) }),
  timeoutMs: 3_000,
  retry: true,
});
