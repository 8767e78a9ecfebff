import openapiTS, { astToString } from 'openapi-typescript';

const HEAD = `// Made from the OpenAPI document by \`npm run clients:types\`; a test compares the two. Do not edit.

`;

/** Where the types of the client are kept. */
export const TYPES_FILE = new URL('../src/api.gen.ts', import.meta.url);

/** The types of an OpenAPI document, as the text of a module. */
export async function typesOf(document: unknown): Promise<string> {
  const nodes = await openapiTS(JSON.stringify(reduceDocument(document)), { alphabetize: true });
  return HEAD + astToString(nodes);
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type JsonObject = { [key: string]: Json };

/** Parameters that the client sets by itself, or that have a place of their own in its options. */
const SET_BY_CLIENT = new Set(['p', 'password', 'token']);

/** The shape of every error answer. Named here because no operation that is kept refers to it. */
const ERROR: JsonObject = { $ref: '#/components/schemas/Error' };

/** The parts of an OpenAPI document that the types of the client need: the operations under `/api/` but the operator's. */
function reduceDocument(document: unknown): JsonObject {
  const { openapi, info, paths, components } = asObject(document);
  const kept: JsonObject = {};
  for (const [path, item] of Object.entries(asObject(paths))) {
    if (!path.startsWith('/api/') || path.startsWith('/api/admin/')) continue;
    const operations = Object.entries(asObject(item))
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, operation]) => [method, reduceOperation(asObject(operation), asObject(components))]);
    if (operations.length > 0) kept[path] = Object.fromEntries(operations);
  }
  const reduced = asObject(withoutExamples({ paths: kept, components: components ?? {} }));
  const whole = { openapi: openapi ?? '3.1.0', info: info ?? {}, paths: reduced.paths ?? {} };
  const schemas = schemasInUse([whole.paths, ERROR], asObject(reduced.components));
  if (schemas.Error === undefined) throw new Error('The document has no schema "Error".');
  return { ...whole, components: { schemas } };
}

/** Headers are the client's business, and all failures have one shape. */
function reduceOperation(operation: JsonObject, components: JsonObject): JsonObject {
  const parameters = asArray(operation.parameters)
    .map((parameter) => resolve(asObject(parameter), components))
    .filter((parameter) => parameter.in !== 'header' && !SET_BY_CLIENT.has(String(parameter.name)));
  const responses: JsonObject = {};
  for (const [status, response] of Object.entries(asObject(operation.responses))) {
    if (!/^2\d\d$/.test(status)) continue;
    const { description, content } = resolve(asObject(response), components);
    responses[status] = { description: description ?? '', ...(content === undefined ? {} : { content }) };
  }
  const { summary, requestBody } = operation;
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(requestBody === undefined ? {} : { requestBody: resolve(asObject(requestBody), components) }),
    parameters,
    responses,
  };
}

/** Resolves a `$ref` to a parameter, a response or a body. */
function resolve(value: JsonObject, components: JsonObject): JsonObject {
  const target = value.$ref;
  if (typeof target !== 'string') return value;
  const [kind = '', name = ''] = target.replace('#/components/', '').split('/');
  return resolve(asObject(asObject(components[kind])[name]), components);
}

/** The schemas that are referred to, by what is kept or by one another. */
function schemasInUse(root: Json, components: JsonObject): JsonObject {
  const schemas = asObject(components.schemas);
  const used = new Set<string>();
  const visit = (value: Json): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(schemas[name] ?? null);
    }
  };
  visit(root);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}

/** An example is the text of one moment; beside a property called so (an object with a type) it is left alone. */
function withoutExamples(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutExamples);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'examples' && key !== 'example')
      .map(([key, inner]) => [key, withoutExamples(inner)]),
  );
}

const asObject = (value: unknown): JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {};

const asArray = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
