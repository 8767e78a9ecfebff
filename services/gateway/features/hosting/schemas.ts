import { type TSchema, Type } from '@sinclair/typebox';
import { schemaRef } from '../../openapi/operation.ts';
import { answer, hosting, NAME, request } from '../../openapi/schema-parts.ts';

/** Under `#/components/schemas`. */
export const HOSTING_SCHEMAS: Record<string, TSchema> = {
  Hosting: answer('Where an item is served.', { ...NAME, ...hosting }),
  HostingOrEntry: Type.Unsafe({
    oneOf: [schemaRef('Hosting'), schemaRef('Entry')],
    description: 'Where a store is served, or its key of the name `hosting`.',
  }),
  KnownHost: answer('The name is the host of a live item, or of the service.', {
    status: Type.Literal('known'),
  }),
  HostingChange: request('Where an item is to be served.', {
    deliveryMode: Type.Unsafe({ type: 'string', enum: ['path', 'subdomain'], description: 'In any case.' }),
    expectedVersion: Type.Integer({
      minimum: 1,
      examples: [1],
      description: 'The `hostingVersion` that you have read.',
    }),
  }),
};
