import { DELIVERY_MODES, type DeliveryMode } from '../../../shared/items/delivery-mode.ts';
import type { ValidationIssues } from '../http/validation-issues.ts';

/** Where an item is to be served, in any case; `null` when it is blank or not said. */
export function parseDeliveryMode(
  value: unknown,
  field: string,
  issues: ValidationIssues,
): DeliveryMode | null {
  if (value === null || value === undefined) return null;
  const name = typeof value === 'string' ? value.trim().toLowerCase() : null;
  if (name === '') return null;
  const found = DELIVERY_MODES.find((mode) => mode === name) ?? null;
  if (found === null) issues.add('VALIDATION_FAILED', field, 'must be "path" or "subdomain".');
  return found;
}
