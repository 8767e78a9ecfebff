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
  if (type === ValueErrorType.ArrayMinItems) return `must have at least ${counted(schema.minItems)}.`;
  if (type === ValueErrorType.ArrayMaxItems) return `must have at most ${counted(schema.maxItems)}.`;
  if (type === ValueErrorType.StringMaxLength) return `must have at most ${schema.maxLength} characters.`;
  if (type === ValueErrorType.IntegerMinimum) return `must be at least ${schema.minimum}.`;
  if (type === ValueErrorType.IntegerMaximum) return `must be at most ${schema.maximum}.`;
  if (Array.isArray(schema.anyOf))
    return `must be one of ${schema.anyOf.map((one: { const?: unknown }) => one.const).join(', ')}.`;
  return `is wrong: ${message.toLowerCase()}.`;
}

const counted = (elements: number): string => (elements === 1 ? '1 element' : `${elements} elements`);

/** @param names those that the object has in which the field stands */
function unknown(field: string, names: string[]): string {
  const end = field.lastIndexOf('/');
  const likely = likelyArgument(field.slice(end + 1), names);
  const what = end < 0 ? 'is no argument of this tool' : `is no field of ${field.slice(0, end)}`;
  if (likely !== null) return `${what}: use ${likely}.`;
  return `${what}, which has ${names.join(', ') || 'none'}.`;
}
