import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox';
import { LIMITS } from '../../../../shared/items/item.ts';
import { RESERVED_NAMESPACES } from '../../items/item-address.ts';
import type { Parameter } from '../operation.ts';
import { CHARACTERS } from '../text-patterns.ts';

export const inPath = (name: string, description: string, schema: TSchema): Parameter => ({
  name,
  in: 'path',
  description,
  required: true,
  schema,
});
export const inQuery = (name: string, description: string, schema: TSchema): Parameter => ({
  name,
  in: 'query',
  description,
  schema,
});
export const inHeader = (name: string, description: string, schema: TSchema): Parameter => ({
  name,
  in: 'header',
  description,
  schema,
});

export const text = (example: string, maxLength?: number) =>
  Type.String({ examples: [example], ...(maxLength === undefined ? {} : { maxLength }) });
export const OWNER_TOKEN = Type.String({ examples: ['own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt'] });
export const TAG = '"f6a3c1d2e4b5968778695a4b3c2d1e0f"';
/** Schema of the name of a namespace that items can be in. */
export const NAMESPACE_NAME = { pattern: CHARACTERS.namespace, not: { enum: [...RESERVED_NAMESPACES] } };
/** Text on one line. */
export const line = (example: string, maxLength?: number) =>
  Type.String({
    pattern: CHARACTERS.line,
    examples: [example],
    ...(maxLength === undefined ? {} : { maxLength }),
  });
/** One of a few words. */
export const oneOf = (words: readonly string[], example: string, standard?: string): TSchema =>
  Type.Unsafe({
    type: 'string',
    enum: words,
    ...(standard === undefined ? {} : { default: standard }),
    examples: [example],
  });
/** A whole number from 1 to a maximum. */
export const upTo = (maximum: number, standard: number, example = standard): TSchema =>
  Type.Integer({ minimum: 1, maximum, default: standard, examples: [example] });
/** Which words set a flag of the query (`http/parameters.ts`). */
export const flag = (description: string): [description: string, schema: TSchema] => [
  `${description} Set by \`true\`, \`1\`, \`yes\` in any case, or by no value; any other word counts as left out.`,
  Type.String({ examples: ['1', 'true', ''] }),
];

export const ttlInDays = (options: SchemaOptions) =>
  Type.Union(
    [
      Type.Integer({ minimum: LIMITS.ttlDaysMin, maximum: LIMITS.ttlDaysMax }),
      Type.String({ pattern: CHARACTERS.days }),
    ],
    options,
  );
