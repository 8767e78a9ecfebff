import type { Operation, Parameter } from '../../services/gateway/openapi/operation.ts';
import { documentedOperations, resolve } from './schemas.ts';

/** A parameter of an operation, and where its description lies in the document. */
export interface PlacedParameter {
  pointer: string[];
  parameter: Parameter;
}

/** An operation of the document, with the references of its parameters followed. */
export interface PlacedOperation {
  path: string;
  method: string;
  pointer: string[];
  operation: Operation;
  parameters: PlacedParameter[];
}

export const OPERATIONS: PlacedOperation[] = documentedOperations().map(({ method, path }) => {
  const place = resolve(['paths', path, method.toLowerCase()]);
  const operation = place.value as unknown as Operation;
  const parameters = operation.parameters.map((_, index) => {
    const { pointer, value } = resolve([...place.pointer, 'parameters', String(index)]);
    return { pointer, parameter: value as unknown as Parameter };
  });
  return { path, method, pointer: place.pointer, operation, parameters };
});

/** A value of a path, a query or a header as its schema means it. */
export function typedValue(text: string, { schema }: Parameter): unknown {
  const { type, anyOf } = schema as { type?: string; anyOf?: Array<{ type?: string }> };
  const isOf = (name: string) => type === name || (anyOf ?? []).some((choice) => choice.type === name);
  if (isOf('integer') && /^\d{1,9}$/.test(text)) return Number(text);
  if (isOf('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  return type === 'array' ? [text] : text;
}
