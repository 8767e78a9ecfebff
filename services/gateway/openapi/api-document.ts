import type { TSchema } from '@sinclair/typebox';
import type { Example, Header, Parameter, Paths, Reference, Response, Tag } from './operation.ts';

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
