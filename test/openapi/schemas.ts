import type { ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Operation, Parameter } from '../../services/gateway/openapi/operation.ts';
import { describedApp } from './app.ts';

/** The document of a server without settings, as it is served. */
export const WRITTEN = await describedApp().document();

export const DOCUMENT = WRITTEN as unknown as JsonObject;

/** Every operation: its method in capitals, its path as a template. */
export const documentedOperations = (): Array<{ method: string; path: string }> =>
  Object.entries(WRITTEN.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => ({ method: method.toUpperCase(), path })),
  );

export type JsonObject = { [name: string]: unknown };

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema(DOCUMENT, 'perch');

const validators = new Map<string, ValidateFunction>();

/** The violation of a schema at a place of the document; `null` when there is none. */
export function faultsAt(pointer: string[], value: unknown): string | null {
  const path = pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  const reference = `perch#/${path.join('/')}`;
  const validate = validators.get(reference) ?? ajv.getSchema(reference);
  if (validate === undefined) throw new Error(`there is no schema at ${reference}`);
  validators.set(reference, validate);
  return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: 'body' });
}

/** The object that a place of the document holds or refers to, and where that is. */
export function resolve(pointer: string[]): { pointer: string[]; value: JsonObject } {
  let value: unknown = DOCUMENT;
  for (const part of pointer) value = (value as JsonObject | undefined)?.[part];
  if (typeof value !== 'object' || value === null)
    throw new Error(`there is nothing at ${pointer.join('/')}`);
  const reference = (value as { $ref?: unknown }).$ref;
  if (typeof reference !== 'string') return { pointer, value: value as JsonObject };
  return resolve(reference.slice(2).split('/'));
}

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
