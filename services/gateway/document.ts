import type { Config } from '../../shared/config.ts';
import { SCHEMAS } from './document-schemas.ts';
import { ERROR_EXAMPLES } from './openapi/error-samples.ts';
import { headers, RESPONSE_HEADERS } from './openapi/headers.ts';
import {
  type ApiDocument,
  INTERFACE_VERSION,
  type Parameter,
  type Paths,
  type Tag,
} from './openapi/operation.ts';
import { logDays } from './openapi/parameters/operator.ts';
import { PARAMETERS } from './openapi/parameters.ts';
import { failure, SHARED_FAILURES } from './openapi/responses.ts';

const DESCRIPTION = `Hosts HTML and markdown pages, key-value stores, JSON documents, files and multi-file sites under short URLs. There is no signup: a create returns an **owner token**, which later changes and deletes the item. It cannot be recovered.

- **Namespaces.** Every item lives in one. \`public\` is the default and shared by everybody; any other name is created at first use.
- **Time to live.** 1 to 30 days, 15 when you do not say. Then the item is deleted: in \`public\` it answers 410 from then on, elsewhere 404.
- **Passwords.** An item with a password is read with \`X-Password\` or \`?p=\`, or with its owner token.
- **User-Agent.** Every request needs one, as \`AgentName/version\`, but for health, metrics and assets.
- **Every read can be a HEAD.** It is answered as a GET would be, without the body, and counts no view. \`OPTIONS\` says what an address can do. Another method is answered with 405 and \`Allow\`, an address that is none with 404.
- **Limits by address.** 60 creates and reports an hour, 300 reads a minute, 600 changes an hour, unless this server has others. \`RateLimit-*\` says where you stand; 429 comes with \`Retry-After\`.
- **Repeating a create.** With an \`Idempotency-Key\` a repetition returns the item of the first attempt, for 24 hours.
- **Blank parameters.** A parameter of the query that is blank counts as left out. Of one that comes several times the first counts, but for \`tags\`.
- **After a 503 or 504** to a change, it has not been made and will not be, unless the message says that it may have been made all the same. Either way send it again as it was, a create with its \`Idempotency-Key\`.
- **Errors** all have one shape; \`code\` tells them apart, \`requestId\` names the exchange.`;

const TAGS: Array<{ name: Tag; description: string }> = [
  { name: 'Pages', description: 'HTML, markdown and text.' },
  { name: 'KV', description: 'Stores of keys and values.' },
  { name: 'JSON', description: 'Documents, kept byte for byte.' },
  { name: 'Files', description: 'Pictures, sound, video, PDF, text, archives, fonts.' },
  { name: 'Sites', description: 'Several files under one address.' },
  { name: 'Short URLs', description: 'Where people read what is published.' },
  { name: 'Gallery', description: 'What is public, for people and for search engines.' },
  { name: 'Owner', description: 'What a token owns, and how long that lives.' },
  { name: 'Namespaces', description: 'Names that are free.' },
  { name: 'Reports', description: 'For what should not be here.' },
  { name: 'Admin', description: 'For the operator of this server.' },
  { name: 'Service', description: 'What the service says of itself.' },
];

const apiKey = (location: 'header' | 'query', name: string, description: string) => ({
  type: 'apiKey',
  in: location,
  name,
  description,
});

/**
 * Parameters under `#/components/parameters`. Path parameters are not among them: each operation has them in full
 * (`inPlace`).
 */
const SHARED_PARAMETERS: Record<string, Parameter> = Object.fromEntries(
  Object.entries(PARAMETERS).filter(([, parameter]) => parameter.in !== 'path'),
);

const COMPONENTS = {
  schemas: SCHEMAS,
  headers: RESPONSE_HEADERS,
  examples: ERROR_EXAMPLES,
  responses: {
    ...SHARED_FAILURES,
    MethodNotAllowed: failure(405, ['METHOD_NOT_ALLOWED'], true),
    UnknownAddress: failure(404, ['NOT_FOUND'], true),
    BadRequest: failure(400, ['VALIDATION_FAILED', 'USER_AGENT_REQUIRED'], true),
    Options: {
      description: 'What this address can do; to any OPTIONS, preflight or not.',
      headers: headers(
        ['Allow'],
        ['Access-Control-Allow-Methods', 'Access-Control-Allow-Headers', 'Access-Control-Max-Age'],
      ),
    },
  },
  securitySchemes: {
    ownerToken: apiKey('header', 'X-Owner-Token', 'The owner token that the create returned.'),
    ownerTokenQuery: apiKey('query', 'token', 'The same, where a header cannot be sent.'),
    password: apiKey('header', 'X-Password', "The item's password."),
    passwordQuery: apiKey('query', 'p', 'The same, where a header cannot be sent.'),
    adminPassword: apiKey('header', 'X-Admin-Password', "The operator's password."),
  },
};

/** Settings of a server that its document tells. */
export type DocumentedServer = Pick<Config, 'baseUrl' | 'logRetentionDays'>;

/**
 * All of the OpenAPI 3.1 document that no single endpoint declares, for @elysiajs/swagger, which adds the endpoints.
 * @param paths endpoints that it cannot see: short URLs are no routes of the app, and it passes wildcards over
 */
export const documentation = (
  { baseUrl, logRetentionDays }: DocumentedServer,
  paths: () => Paths,
): ApiDocument => ({
  openapi: '3.1.1',
  info: {
    title: 'Perch',
    version: INTERFACE_VERSION,
    summary: 'Put pages, values, documents, files and sites on the web in one request.',
    description: DESCRIPTION,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  // Relative to where the document was read, unless the address is known.
  servers: [{ url: baseUrl ?? '/', description: 'This server.' }],
  tags: TAGS,
  components: { ...COMPONENTS, parameters: { ...SHARED_PARAMETERS, LogDays: logDays(logRetentionDays) } },
  get paths() {
    return paths();
  },
});
