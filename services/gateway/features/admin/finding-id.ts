import { errors } from '../../../../shared/errors.ts';

/** The finding that an operator has seen, as the list of publications names it. @throws VALIDATION_FAILED */
export function parseFindingId(value: unknown): string {
  if (typeof value === 'string' && /^[0-9a-f]{32}$/.test(value)) return value;
  const message = 'is needed: the one that the list of publications has for the item.';
  throw errors.validationFailed([{ field: 'findingId', message }]);
}
