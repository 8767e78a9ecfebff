/** The form of an OpenAPI 3.1 document as far as ours goes; its schemas are held against JSON Schema's own. */
const text = { type: 'string', minLength: 1 };
const anyOne = { type: 'object', minProperties: 1 };
const mapOf = (value: object | boolean) => ({ ...anyOne, additionalProperties: value });
const reference = {
  type: 'object',
  properties: { $ref: { type: 'string', pattern: '^#/components/[a-z]+/[A-Za-z0-9._-]+$' } },
  required: ['$ref'],
  additionalProperties: false,
};
const orReference = (schema: object) => ({
  if: { type: 'object', required: ['$ref'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: reference,
  else: schema,
});
const exactly = (
  required: Record<string, object | boolean>,
  optional: Record<string, object | boolean> = {},
) => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  patternProperties: { '^x-': true },
  additionalProperties: false,
});

const schema = { type: ['object', 'boolean'] };
const example = exactly({ value: true }, { summary: text });
const mediaType = exactly({ schema, examples: mapOf(orReference(example)) });
const content = {
  ...mapOf(mediaType),
  propertyNames: { pattern: '^[a-z*]+/[a-z0-9.+*-]+$' },
};
const header = exactly({ description: text, schema }, { required: { type: 'boolean' } });
const parameter = exactly(
  { name: text, in: { enum: ['path', 'query', 'header'] }, description: text, schema },
  { required: { type: 'boolean' }, example: true, style: { const: 'form' }, explode: { type: 'boolean' } },
);
const response = exactly({ description: text, headers: mapOf(orReference(header)) }, { content });
const securityRequirement = { type: 'object', additionalProperties: { type: 'array', maxItems: 0 } };
const operation = exactly(
  {
    operationId: { type: 'string', pattern: '^[a-z][A-Za-z]+$' },
    summary: { ...text, maxLength: 80 },
    description: text,
    tags: { type: 'array', items: text, minItems: 1 },
    parameters: { type: 'array', items: orReference(parameter) },
    responses: { ...mapOf(orReference(response)), propertyNames: { pattern: '^[1-5]\\d\\d$' } },
    security: { type: 'array', items: securityRequirement },
    'x-example-requests': { type: 'array', minItems: 1 },
  },
  { requestBody: exactly({ required: { type: 'boolean' }, content }, { description: text }) },
);
const pathItem = {
  ...exactly({}, { get: operation, post: operation, put: operation, patch: operation, delete: operation }),
  minProperties: 1,
};
const components = (value: object) => ({
  ...mapOf(value),
  propertyNames: { pattern: '^[A-Za-z0-9._-]+$' },
});

export const OPENAPI_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  ...exactly({
    openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
    info: exactly({ title: text, version: text }, { summary: text, description: text, license: anyOne }),
    servers: { type: 'array', minItems: 1, items: exactly({ url: text }, { description: text }) },
    tags: { type: 'array', minItems: 1, items: exactly({ name: text, description: text }) },
    paths: { ...mapOf(pathItem), propertyNames: { pattern: '^/[^?#]*$' } },
    components: exactly({
      schemas: components(schema),
      parameters: components(parameter),
      headers: components(header),
      examples: components(example),
      responses: components(response),
      securitySchemes: components(
        exactly({
          type: { const: 'apiKey' },
          in: { enum: ['header', 'query'] },
          name: text,
          description: text,
        }),
      ),
    }),
  }),
};
