import { type TSchema, Type } from '@sinclair/typebox';

/** The parts of an OpenAPI 3.1 document that this one is made of. */
export interface Reference {
  $ref: string;
}

export interface Example {
  summary?: string;
  value: unknown;
}

export interface MediaType {
  schema: TSchema;
  examples: Record<string, Example | Reference>;
  /** Somebody's upload: it need not be what its type says. */
  'x-stored-bytes'?: true;
}

export interface Header {
  description: string;
  required?: boolean;
  schema: TSchema;
}

export interface Response {
  description: string;
  headers: Record<string, Header | Reference>;
  content?: Record<string, MediaType>;
}

/** Answers by status. */
export type Responses = Record<string, Response | Reference>;

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  description: string;
  required?: boolean;
  schema: TSchema;
  example?: unknown;
  style?: 'form';
  explode?: boolean;
  /** Takes the rest of the path, slashes included, which OpenAPI's path templates cannot say. */
  'x-rest-of-path'?: true;
}

export interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: [Tag];
  parameters: Array<Parameter | Reference>;
  requestBody?: { description?: string; required: boolean; content: Record<string, MediaType> };
  responses: Responses;
  /** Empty where nothing is asked for; each element is an alternative. */
  security: Array<Record<string, string[]>>;
  /** Requests that can be sent as they are, and the status each is answered with. */
  'x-example-requests': ExampleRequest[];
}

export type Tag =
  | 'Pages'
  | 'KV'
  | 'JSON'
  | 'Files'
  | 'Sites'
  | 'Short URLs'
  | 'Gallery'
  | 'Owner'
  | 'Namespaces'
  | 'Reports'
  | 'Admin'
  | 'Service';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export type PathItem = Partial<Record<Method, Operation>>;

/** Operations by path template. */
export type Paths = Record<string, PathItem>;

/**
 * A request that shows an operation at work, complete enough to be sent. With `needs` an item of that kind is created
 * first: it fills the path's `{ns}`, `{id}`, `{code}` and `{key}`, and its owner token, address and ETag stand for
 * `{ownerToken}`, `{url}` and `{etag}` in values. `{adminPassword}` stands for the operator's.
 */
export interface ExampleRequest {
  summary: string;
  status: number;
  needs?: Need;
  /** Parts of the path that no created item fills. */
  path?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: ExampleBody;
}

/**
 * `locked` items have the password `correct horse`. A report and an entry of the blocklist fill the path's `{id}`, blocked
 * content its `{hash}`.
 */
export type Need =
  | ('html' | 'html with a domain' | 'locked html' | 'json' | 'kv' | 'file' | 'site')
  | ('report' | 'block' | 'blocked content');

export type ExampleBody =
  /** An example of the request body, by name. */
  | { type: string; example: string }
  /** A `multipart/form-data` body. A name may come several times. */
  | { type: 'multipart/form-data'; parts: ExamplePart[] }
  /** Bytes. */
  | { type: string; base64: string };

export type ExamplePart =
  | { name: string; value: string }
  | { name: string; filename: string; type: string; value: string }
  | { name: string; filename: string; type: string; base64: string };

export const schemaRef = (name: string): TSchema => Type.Unsafe({ $ref: `#/components/schemas/${name}` });
export const headerRef = (name: string): Reference => ({ $ref: `#/components/headers/${name}` });
export const exampleRef = (name: string): Reference => ({ $ref: `#/components/examples/${name}` });
export const parameterRef = (name: string): Reference => ({ $ref: `#/components/parameters/${name}` });

/** Version of the interface that clients were written for, of which this one is a superset (specification, chapter 24). */
export const INTERFACE_VERSION = '1.87.0';

/** The OpenAPI 3.1 document of the interface as it is served. */
export interface ApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: Array<{ url: string; description: string }>;
  tags: Array<{ name: Tag; description: string }>;
  paths: Paths;
  components: {
    schemas: Record<string, TSchema>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    examples: Record<string, Example>;
    responses: Record<string, Response | Reference>;
    securitySchemes: Record<string, object>;
  };
}

/** Makes the document. Nothing is cached here: callers keep the result. */
export type LoadDocument = () => Promise<ApiDocument>;
