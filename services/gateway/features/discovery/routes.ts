import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import { countListed, walkListed } from '../../../../shared/contracts/gallery.ts';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import { parseCount } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { CACHEABLE, ok, redirect, text, unchanged } from '../../openapi/answers.ts';
import { documented, inPlace } from '../../openapi/documented.ts';
import { headers } from '../../openapi/headers.ts';
import type { Operation, Paths } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import {
  ANY_BASE_URL,
  byBaseUrl,
  type FixedBody,
  fixedBody,
  fixedResponse,
  withBaseUrl,
} from '../../web/fixed-body.ts';
import { createSitemap } from './sitemap.ts';

/** More than there can be: fifty million addresses. */
const MAX_PART = 5_000;
/**
 * Most addresses in one file, of the 50,000 that sitemaps.org allows: of the longest ids they have less than 2 MB. The kernel
 * takes that for a reader who takes nothing; of a longer answer this process would hold a copy for each reader.
 */
const URLS_PER_FILE = 10_000;
/** Short, so that a page which was just published is found there; many crawlers at once still share a file. */
const SITEMAP_KEPT_MS = 2_000;

/**
 * Asks crawlers (RFC 9309) not to read the API and short links: crawlers find the items anyway, and should index them
 * under their canonical addresses.
 */
const robotsFile = (baseUrl: string): string => `User-agent: *
Disallow: /api/
Disallow: /s/
Disallow: /report
Allow: /

Sitemap: ${baseUrl}/sitemap.xml
`;

const SAMPLE_SITEMAP = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${SAMPLE.url}</loc><lastmod>${SAMPLE.updatedAt}</lastmod></url>
</urlset>
`;

const sitemapOperation = (what: Pick<Operation, 'operationId' | 'summary' | 'description'>): Operation => ({
  ...what,
  tags: ['Gallery'],
  security: [],
  parameters: parameters('SitemapPart', 'IfNoneMatch'),
  responses: {
    '200': ok('The file.', text('application/xml', SAMPLE_SITEMAP, 'urls'), CACHEABLE),
    '302': redirect('To the host that has this file.'),
    ...unchanged(),
    ...failures(['VALIDATION_FAILED', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'The file that search engines begin with', status: 200 },
    { summary: 'A part', status: 200, query: { part: '1' } },
    { summary: 'A part that is not there', status: 404, query: { part: '1000' } },
  ],
});

const READ_SITEMAP = sitemapOperation({
  operationId: 'readSitemap',
  summary: 'The sitemap',
  description:
    'Every public address for search engines; a few seconds old at the most. Where there are more than 10,000 it is an index of files, each one a `part`.',
});

const READ_SITEMAP_IN_API = sitemapOperation({
  operationId: 'readSitemapInApi',
  summary: 'The sitemap, below /api',
  description: 'The file of `/sitemap.xml`, for clients that look for it here.',
});

const READ_ROBOTS: Operation = {
  operationId: 'readRobots',
  summary: 'What crawlers are asked to leave alone',
  description: 'And where the sitemap is.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('IfNoneMatch'),
  responses: {
    '200': ok(
      'The file.',
      text('text/plain', `User-agent: *\nDisallow: /api/\n\nSitemap: ${SAMPLE.host}/sitemap.xml\n`, 'robots'),
      CACHEABLE,
    ),
    '302': redirect('To the host that has this file.'),
    ...unchanged(),
    ...failures([], { local: true }),
  },
  'x-example-requests': [{ summary: 'The file', status: 200 }],
};

/** The files that search engines ask for (specification 19.1). */
export function searchEngineRoutes(deps: UploadDependencies) {
  const { bus, config } = deps;
  // Which address links begin with may depend on the request: then no cache keeps the answer for others.
  const scope = config.baseUrl === null ? 'private' : 'public';
  const baseUrl = config.baseUrl ?? ANY_BASE_URL;
  const robots = byBaseUrl((base) => fixedBody(Buffer.from(robotsFile(base)), 'text/plain; charset=utf-8'));
  const sitemap = createSitemap(
    {
      count: async (context) => (await call(bus, countListed, {}, context)).total,
      walk: async (range, context) => (await call(bus, walkListed, range, context)).items,
    },
    {
      baseUrl,
      itemsUrl: config.contentBaseUrl ?? baseUrl,
      urlsPerFile: URLS_PER_FILE,
      keptMs: SITEMAP_KEPT_MS,
    },
  );

  const forms = new WeakMap<FixedBody, (base: string) => FixedBody>();
  /** A file that was made for any address, for one; of each file two such forms are kept. */
  const rebased = (file: FixedBody, base: string): FixedBody => {
    let form = forms.get(file);
    if (form === undefined) {
      const text = new TextDecoder().decode(file.bytes);
      form = byBaseUrl((one) => fixedBody(Buffer.from(withBaseUrl(text, one)), file.contentType), 2);
      forms.set(file, form);
    }
    return form(base);
  };

  const answerSitemap = async (context: RequestContext): Promise<Response> => {
    const issues = collectIssues();
    const part = parseCount(context.query(), 'part', MAX_PART, issues);
    issues.throwIfAny();
    const file = await sitemap.file(part, context.callContext);
    if (file === null) throw errors.routeNotFound(`${context.path}?part=${part}`);
    const own = config.baseUrl === null ? rebased(file, context.baseUrl) : file;
    return await fixedResponse(context.request, own, `${scope}, max-age=600`, (bytes) =>
      deps.responseMemory.hold(context, bytes),
    );
  };

  return (
    new Elysia()
      .use(limited(deps))
      // Without a rate limit: a crawler takes a refusal of this file as a ban on all addresses.
      .get(
        '/robots.txt',
        ({ context, request }) => fixedResponse(request, robots(context.baseUrl), `${scope}, max-age=3600`),
        {
          detail: documented(READ_ROBOTS, 'text'),
        },
      )
      .get('/sitemap.xml', ({ context }) => answerSitemap(context), {
        limit: 'reads',
        detail: documented(READ_SITEMAP, 'text'),
      })
      .get('/api/sitemap.xml', ({ context }) => answerSitemap(context), {
        limit: 'reads',
        detail: documented(READ_SITEMAP_IN_API, 'text'),
      })
  );
}

/** The path of a file that is named as the IndexNow key's is (indexnow.org), in letters, digits and hyphens; as all addresses also with a slash behind. */
const KEY_FILE = /^\/([A-Za-z0-9-]{1,128})\.txt\/?$/;

const answerOf = (status: number, body: string): Response =>
  new Response(body, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' },
  });

/**
 * Answers for the file by which search engines see that announcements come from this service (specification 19.3): the
 * key, or 404 in text. `null` for a path that is none of such a file.
 */
export function answerIndexNowKey(path: string, key: string | null): Response | null {
  const [, asked = null] = KEY_FILE.exec(path) ?? [];
  if (asked === null) return null;
  return asked === key ? answerOf(200, key) : answerOf(404, 'There is no such file.\n');
}

const READ_KEY: Operation = {
  operationId: 'readIndexNowKey',
  summary: "The IndexNow key's file",
  description:
    'By which search engines see that announcements of new and changed public items come from this server: the key, where its operator has set one and it is this one, else 404 as text.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('IndexNowKey'),
  responses: {
    '200': {
      description: 'The key.',
      headers: headers(['Cache-Control'], ['Vary', 'Content-Encoding']),
      content: text('text/plain', 'example-index-now-key', 'key'),
    },
    '404': {
      description: 'There is no such key.',
      headers: headers(['Cache-Control']),
      content: text('text/plain', 'There is no such file.\n', 'none'),
    },
    ...failures([], { local: true, page: true }),
  },
  'x-example-requests': [
    { summary: 'The key', status: 200, path: { key: 'example-index-now-key' } },
    { summary: 'Another', status: 404, path: { key: 'another-key-than-it' } },
  ],
};

/** The file's address, which is no route of the app: it may have any name. */
export const INDEXNOW_KEY_PATHS: Paths = { '/{key}.txt': { get: inPlace(READ_KEY) } };
