import type { TObject } from '@sinclair/typebox';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { Value } from '@sinclair/typebox/value';
import type { FieldIssue } from '../../../../shared/perch-error.ts';
import { likelyArgument } from './argument-names.ts';

/** Enough to correct a call by. */
const MAX_FAULTS = 5;

/** The arguments of a call that do not fit what its tool takes, and what is wrong with each. */
export function argumentFaults(input: TObject, given: unknown): FieldIssue[] {
  const faults: FieldIssue[] = [];
  for (const error of Value.Errors(input, given)) {
    const field = error.path.slice(1, 100) || 'arguments';
    if (faults.some((fault) => fault.field === field)) continue;
    faults.push({ field, message: messageOf(error, field) });
    if (faults.length === MAX_FAULTS) break;
  }
  return faults;
}

function messageOf({ type, message, schema }: ValueError, field: string): string {
  if (type === ValueErrorType.ObjectAdditionalProperties)
    return unknown(field, Object.keys(schema.properties));
  if (type === ValueErrorType.ObjectRequiredProperty) return 'is missing.';
  if (Array.isArray(schema.anyOf))
    return `must be one of ${schema.anyOf.map((one: { const?: unknown }) => one.const).join(', ')}.`;
  return `is wrong: ${message.toLowerCase()}.`;
}

/** @param names those that the object has in which the field stands */
function unknown(field: string, names: string[]): string {
  const likely = likelyArgument(field, names);
  if (likely !== undefined) return `is no argument of this tool: use ${likely}.`;
  if (names.length === 0) return 'is no argument of this tool, which has none.';
  return `is no argument of this tool. Its arguments are ${names.join(', ')}.`;
}
