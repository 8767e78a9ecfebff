import { Type } from '@sinclair/typebox';
import { errors } from '../../../../shared/errors.ts';

/** A finding in one content, as `findingIdOf` of the services names it. */
const FINDING_ID = /^[0-9a-f]{32}$/;

/** The schema of such a name. */
export const findingIdSchema = (description: string) =>
  Type.String({ pattern: FINDING_ID.source, description });

/** The finding that an operator has seen, as the list of publications names it. @throws VALIDATION_FAILED */
export function parseFindingId(value: unknown): string {
  if (typeof value === 'string' && FINDING_ID.test(value)) return value;
  const message = 'is needed: the one that the list of publications has for the item.';
  throw errors.validationFailed([{ field: 'findingId', message }]);
}
