import { ok, redirect, text } from '../../openapi/answers.ts';
import { CACHEABLE, unchanged } from '../../openapi/cacheable.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';

const SITEMAP = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${SAMPLE.url}</loc><lastmod>${SAMPLE.updatedAt}</lastmod></url>
</urlset>
`;

export const sitemap: Operation = {
  operationId: 'readSitemap',
  summary: 'The sitemap',
  description:
    'Every public address for search engines; up to a minute old. Where there are more than 50,000 it is an index of files, each one a `part`.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('SitemapPart', 'IfNoneMatch'),
  responses: {
    '200': ok('The file.', text('application/xml', SITEMAP, 'urls'), CACHEABLE),
    '302': redirect('To the host that has this file.'),
    ...unchanged(),
    ...failures(['VALIDATION_FAILED', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'The file that search engines begin with', status: 200 },
    { summary: 'A part', status: 200, query: { part: '1' } },
    { summary: 'A part that is not there', status: 404, query: { part: '1000' } },
  ],
};

export const robots: Operation = {
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
