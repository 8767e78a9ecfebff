import { Elysia } from 'elysia';
import { requestScope } from '../../http/request-context.ts';
import { CACHEABLE, ok, redirect, text, unchanged } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { LoadDocument, Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import {
  ANY_BASE_URL,
  byBaseUrl,
  fixedBody,
  fixedResponse,
  loadOnce,
  withBaseUrl,
} from '../../web/fixed-body.ts';

const TEXT = 'text/plain; charset=utf-8';

const file = (
  what: Pick<Operation, 'operationId' | 'summary' | 'description'>,
  beginning: string,
): Operation => ({
  ...what,
  tags: ['Service'],
  security: [],
  parameters: parameters('IfNoneMatch'),
  responses: {
    '200': ok('The file.', text('text/plain', beginning, 'beginning'), CACHEABLE),
    '302': redirect('To the host that has this file.'),
    ...unchanged(),
    ...failures([], { local: true }),
  },
  'x-example-requests': [{ summary: 'The file', status: 200 }],
});

const READ_LLMS = file(
  {
    operationId: 'readLlms',
    summary: 'What a language model should know first',
    description: 'How to publish, and where to read on; markdown.',
  },
  '# Perch\n\n> Hosts HTML and markdown pages, files, sites, JSON documents and key-value stores.\n',
);

const READ_LLMS_FULL = file(
  {
    operationId: 'readLlmsFull',
    summary: 'The whole interface for a language model',
    description: 'Every address with its parameters, headers, bodies, answers, errors and limits; markdown.',
  },
  '# Perch API\n\n> Put pages, values, documents, files and sites on the web in one request.\n',
);

/** The interface for language models: what to know first, and all of it, made when it is first asked for. */
export function llmsRoutes({ config }: Pick<UploadDependencies, 'config'>, loadDocument: LoadDocument) {
  const short = byBaseUrl((baseUrl) => fixedBody(Buffer.from(shortFile(baseUrl)), TEXT));
  const whole = loadOnce(async () => {
    const { wholeFile } = await import('./llms/whole-file.ts');
    const servers = [{ url: ANY_BASE_URL, description: '' }];
    const text = wholeFile({ ...(await loadDocument()), servers }, config);
    return byBaseUrl((baseUrl) => fixedBody(Buffer.from(withBaseUrl(text, baseUrl)), TEXT));
  });

  return new Elysia()
    .use(requestScope)
    .get('/llms.txt', ({ context, request }) => fixedResponse(request, short(context.baseUrl), 'no-cache'), {
      detail: documented(READ_LLMS, 'text'),
    })
    .get(
      '/llms-full.txt',
      async ({ context, request }) => fixedResponse(request, (await whole())(context.baseUrl), 'no-cache'),
      {
        detail: documented(READ_LLMS_FULL, 'text'),
      },
    );
}

/** A summary of the service and how to publish, in a minute (llmstxt.org). `baseUrl` has no slash at its end. */
export const shortFile = (baseUrl: string): string => `# Perch

> Hosts HTML and markdown pages, files, multi-file sites, JSON documents and key-value stores under short URLs. No signup: one request publishes, and its answer has the address and an owner token.

Publish from a shell:

\`\`\`sh
curl -T report.html ${baseUrl}/
curl ${baseUrl}/api/html -H 'Content-Type: text/markdown' --data-binary @notes.md
curl ${baseUrl}/api/files -F file=@photo.jpg
curl ${baseUrl}/api/sites -F archive=@site.zip
curl ${baseUrl}/api/json -H 'Content-Type: application/json' --data-binary @data.json
curl ${baseUrl}/api/kv -H 'Content-Type: application/json' -d '{"key":"status","value":"ready"}'
\`\`\`

- \`curl -T\` takes any file, decides by its extension, and answers with the address as text; the token comes in the header \`X-Owner-Token\`.
- The answer of the others is JSON: \`url\` and \`shortUrl\` are for reading, \`ownerToken\` changes and deletes the item later. Keep it: it cannot be recovered. Send it as \`X-Owner-Token\`, also with the next create to own both with one token.
- Query parameters of every create: \`ns\` (default \`public\`, which is listed in the gallery; other namespaces are not), \`id\`, \`title\`, \`tags\` (comma-separated), \`ttl\` (days until it is deleted, 1 to 30, default 15). A header \`X-Password\` protects the item.
- \`X-Delivery-Mode: subdomain\` with a create asks for a host of its own, where scripts have storage and cookies; \`hostUrl\` in the answer is its address, or null where this server has no domain for that.
- A key of a store counts and collects: \`POST /api/kv/{ns}/{id}/{key}/increment\` with \`{"by":1}\` adds to a number, \`POST …/append\` with \`{"value":…}\` to a text or list, atomically.
- A key's address tells its changes: with \`Accept: text/event-stream\` as server-sent events, with \`?wait=30\` and \`If-None-Match\` by an answer that comes when the value is another one.
- The short URL with \`.qr.svg\` or \`.qr.png\` behind it is a QR code of that address. \`GET /api/sites/{ns}/{id}/archive\` is a whole site as a ZIP.
- Every request needs a \`User-Agent\`, such as \`MyAgent/1.0\`.
- Errors are JSON with \`status\`, \`code\`, and \`message\`, which says what to do. After 429 and 503 wait for \`Retry-After\` seconds.

## Tools

- MCP at ${baseUrl}/mcp: the Model Context Protocol (Streamable HTTP). Add this address to an agent's host to publish by tools, without writing requests; there the default namespace is a random one that is listed nowhere

## API

- [The whole API as text](${baseUrl}/llms-full.txt): every address with its parameters, headers, bodies, answers, errors and limits
- [OpenAPI document](${baseUrl}/docs/json): the same for programs
- [Documentation](${baseUrl}/docs): the same for people

## Optional

- [Gallery](${baseUrl}/gallery): what is public; as JSON at ${baseUrl}/api/gallery
- [Statistics](${baseUrl}/stats): what the service has done so far; as JSON at ${baseUrl}/api/stats
- [Sitemap](${baseUrl}/sitemap.xml): every public address
`;
