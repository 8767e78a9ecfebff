import type { Reference } from '../../../openapi/operation.ts';

/** The keywords of JSON Schema that the interface document uses. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  required?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  default?: unknown;
  examples?: unknown[];
}

/** A value in one line: its type, its choices and its bounds. */
export function typeText(schema: object): string {
  const { $ref, enum: choices, const: only, anyOf, oneOf, items, type, ...rest }: Schema = schema;
  if ($ref !== undefined) return nameOf({ $ref });
  if (choices !== undefined) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return alternatives.map(typeText).join(' | ');
  const name = items === undefined ? [type ?? 'any'].flat().join(' | ') : `array of ${typeText(items)}`;
  return [name, ...boundsOf(rest)].join(', ');
}

function boundsOf(schema: Schema): string[] {
  const { pattern, format, default: preset } = schema;
  return [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    format ?? null,
    pattern === undefined ? null : `pattern \`${pattern}\``,
    preset === undefined ? null : `default ${JSON.stringify(preset)}`,
  ].filter((bound) => bound !== null);
}

function range(from: number | undefined, to: number | undefined, unit: string): string | null {
  if (from === undefined && to === undefined) return null;
  if (to === undefined) return from === 0 ? null : `${from}${unit} or more`;
  if (from === to) return `${to}${unit}`;
  return `${from === undefined ? 'up to ' : `${from} to `}${to}${unit}`;
}

/** The name of what a reference leads to. */
export const nameOf = ({ $ref }: Reference): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** A schema of the components: a line for it, and one for each of its fields, those of inner objects below theirs. */
export function schemaText(name: string, schema: object): string {
  const { description }: Schema = schema;
  const says = description === undefined ? '' : ` ${description}`;
  const fields = fieldLines(schema, '');
  const type = fields.length === 0 ? ` ${typeText(schema)}.` : '';
  return `### ${name}\n\n${`${says}${type}`.trim() || 'An object.'}\n${fields.length === 0 ? '' : `\n${fields.join('\n')}\n`}`;
}

/** The fields of an object, or of the objects of an array. */
function fieldLines(schema: Schema, indent: string): string[] {
  const { properties, patternProperties, required = [], items, allOf } = schema;
  if (items !== undefined) return fieldLines(items, indent);
  if (allOf !== undefined) return allOf.flatMap((part) => fieldLines(part, indent));
  const named = Object.entries(properties ?? {}).map(([name, field]) => ({
    name: `\`${name}\``,
    field,
    note: required.includes(name) ? '' : ', optional',
  }));
  const matching = Object.entries(patternProperties ?? {}).map(([pattern, field]) => ({
    name: `any name like \`${pattern}\``,
    field,
    note: '',
  }));
  return [...named, ...matching].flatMap(({ name, field, note }) => [
    `${indent}- ${name} (${typeText(field)}${note})${field.description === undefined ? '' : `: ${field.description}`}`,
    ...fieldLines(field, `${indent}  `),
  ]);
}

/** An example of a value, when its schema has one. */
export function exampleOf(schema: object): unknown {
  const { examples }: Schema = schema;
  return examples?.[0];
}
