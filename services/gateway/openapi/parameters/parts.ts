import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox';
import { LIMITS } from '../../../../shared/items/item.ts';
import { NAMESPACE } from '../../intake/addresses.ts';
import type { Parameter } from '../operation.ts';

export const inPath = (name: string, description: string, schema: TSchema): Parameter => ({
  ...{ name, in: 'path', description, required: true, schema },
});
export const inQuery = (name: string, description: string, schema: TSchema): Parameter => ({
  ...{ name, in: 'query', description, schema },
});
export const inHeader = (name: string, description: string, schema: TSchema): Parameter => ({
  ...{ name, in: 'header', description, schema },
});

export const text = (example: string, maxLength?: number) =>
  Type.String({ examples: [example], ...(maxLength === undefined ? {} : { maxLength }) });
export const OWNER_TOKEN = Type.String({ examples: ['own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt'] });
export const TAG = '"f6a3c1d2e4b5968778695a4b3c2d1e0f"';
export const NAMESPACE_NAME = { pattern: NAMESPACE.source };
export const flag = Type.Unsafe({
  type: 'string',
  enum: ['', 'true', '1', 'yes', 'false', '0', 'no'],
  examples: ['1'],
});

export const ttlInDays = (options: SchemaOptions) =>
  Type.Union(
    [
      Type.Integer({ minimum: LIMITS.ttlDaysMin, maximum: LIMITS.ttlDaysMax }),
      Type.String({ pattern: '^\\s*\\d{1,2}\\s*([dD]|[dD][aA][yY][sS]?)?\\s*$' }),
    ],
    options,
  );
