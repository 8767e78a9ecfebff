import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { errors } from '../../../../shared/errors.ts';
import { PUBLIC_NAMESPACE } from '../../../../shared/items/item.ts';
import { inexactNumber } from '../../http/json.ts';
import type { UploadResult } from '../../uploads/upload-result.ts';
import { inWordsOfTools } from './argument-names.ts';

/** The schemas of the interface document, by name. */
export type Schemas = Record<string, TSchema>;

const REFERENCE = /^#\/components\/schemas\/(.+)$/;

/** A schema of the interface document by itself: the schemas that it refers to stand in it. */
export function wholeSchema(schemas: Schemas, name: string): TObject {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const [, named] = REFERENCE.exec('$ref' in value ? String(value.$ref) : '') ?? [];
    if (named !== undefined) return resolve(schemas[named]);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  };
  return resolve(schemas[name]) as TObject;
}

/** A schema with more properties. */
export const extended = (schema: TObject, properties: Record<string, TSchema>): TObject => ({
  ...schema,
  properties: { ...schema.properties, ...properties },
  required: [...(schema.required ?? []), ...Object.keys(properties)],
});

/** Every publishing tool also tells who can read what it published. */
export const READABLE_BY = {
  readableBy: Type.String({ description: 'Who can read it now. Tell your user.' }),
};

/** The JSON of an answer. @throws VALIDATION_FAILED for numbers that would be others in the result of a tool */
export async function exactValueOf(answer: Promise<Response>): Promise<unknown> {
  const text = await (await answer).text();
  const inexact = inexactNumber(text);
  if (inexact !== null) throw errors.numberInexact(inexact, 'Read it at its address.');
  return JSON.parse(text);
}

/** The object that an operation answered with. */
export const resultOf = async (answer: Promise<Response>): Promise<object> =>
  (await exactValueOf(answer)) as object;

/** `resultOf` of an answer with an ETag. */
export async function versionOf(answer: Promise<Response>): Promise<object> {
  const response = await answer;
  return { ...(await resultOf(answer)), etag: etagOf(response) };
}

interface Created {
  namespace: string;
  hasPassword: boolean;
  /** Of pages and sites. */
  result?: UploadResult;
}

/** The answer to a create, with who can read what it made. */
export async function publishedAs(answer: Promise<Response>): Promise<object> {
  const created = (await (await answer).json()) as Created;
  const { result } = created;
  const told =
    result?.reason === undefined ? {} : { result: { ...result, reason: inWordsOfTools(result.reason) } };
  return { ...created, ...told, readableBy: readersOf(created) };
}

function readersOf({ namespace, hasPassword }: { namespace: string; hasPassword: boolean }): string {
  if (hasPassword)
    return 'Whoever has the address and the password, and whoever has the owner token. It is listed nowhere.';
  if (namespace === PUBLIC_NAMESPACE)
    return 'Everybody: it is in the public gallery, and search engines may find it.';
  return 'Whoever has the address. It is listed nowhere, and needs no password.';
}

/** The ETag of a response, for a later `ifMatch`. */
export const etagOf = (response: Response): string => response.headers.get('etag') ?? '';

export const ETAG = { etag: Type.String({ description: 'Names this version, for `ifMatch`.' }) };
