import { bytes, json, notModified, partial, redirect, served, text } from './answers.ts';
import { inPlace } from './documented.ts';
import { CONTENT_HEADERS, type HeaderName, headers, RATE_LIMIT } from './headers.ts';
import type { MediaType, Operation, Paths, Responses } from './operation.ts';
import { CONDITIONS, ITEM, MAY_NEED_PASSWORD, parameters, READER } from './parameters.ts';
import { failure, failures, READER_CODES } from './responses.ts';
import { SAMPLE } from './samples.ts';

const JSON_CONTENT = json('AnyJson', {
  document: { name: 'Perch', launched: true },
  store: {
    ...SAMPLE.name,
    keys: ['greeting'],
    count: 1,
    entries: [{ key: 'greeting', sizeBytes: 5, updatedAt: SAMPLE.updatedAt }],
    createdAt: SAMPLE.createdAt,
    expiresAt: SAMPLE.expiresAt,
    views: 12,
  },
});

/** Media types of content of any kind. Files and parts of sites have these types, too. */
const CONTENT: Record<string, MediaType> = Object.fromEntries(
  Object.entries({
    ...text('text/html', '<!doctype html>\n<title>Launch</title>\n<h1>Launch</h1>\n', 'page'),
    ...JSON_CONTENT,
    ...text('text/plain', 'Hello', 'value'),
    ...bytes('*/*', 'A file', 'The bytes of a picture, for example'),
  }).map(([type, body]) => [type, { ...body, 'x-stored-bytes': true }]),
);

const SOMETIMES: HeaderName[] = ['X-Show-Top-Bar', 'Accept-Ranges', 'X-Frame-Options'];

/**
 * The 409 of short URLs, which no read is ever answered with: the document lists it all the same (specification 22.2).
 */
const CONFLICT: Responses = {
  '409': { ...failure(409, ['ID_TAKEN'], true), description: 'No read is answered with it; creates are.' },
};

const responses = (description: string, page: string): Responses => ({
  '200': served(description, CONTENT, ['X-Views'], [...SOMETIMES, 'X-Accel-Buffering']),
  ...partial(['X-Views']),
  '302': redirect('Content is served on another host, where it goes on.'),
  ...notModified(['ETag', 'X-Views'], SOMETIMES),
  '303': redirect(
    'A site with a password, for a browser that has opened it: to an address that its pages can use.',
    CONTENT_HEADERS,
  ),
  '308': redirect(page, CONTENT_HEADERS),
  ...failures([...READER_CODES, 'GONE', 'QUARANTINED', 'PRECONDITION_FAILED', 'RANGE_NOT_SATISFIABLE'], {
    page: true,
  }),
  ...CONFLICT,
});

/** The 404 of a part that is not there: an error, or the site's own `404.html`. */
const MISSING_PART: Responses = {
  '404': {
    ...failure(404, ['NOT_FOUND'], true),
    description: 'There is nothing. A site with a `404.html` answers with that.',
    headers: headers(['Cache-Control'], [...RATE_LIMIT, ...CONTENT_HEADERS, ...SOMETIMES, 'ETag', 'X-Views']),
    content: {
      ...failure(404, ['NOT_FOUND']).content,
      ...text('text/html', '<!doctype html>\n<title>Not found</title>\n', 'page'),
    },
  },
};

const READ_PARAMETERS = parameters(
  ...ITEM,
  ...READER,
  'Ticket',
  'Raw',
  'Download',
  'Range',
  'IfRange',
  'IfMatchOfFile',
  ...CONDITIONS,
);

const resolve: Operation = {
  operationId: 'resolve',
  summary: 'Open an item',
  description:
    'The short URL of every item, which counts a view. A page comes rendered, a document as it is, a store as the list of its keys (a page of them for browsers), a file as its bytes (a viewer for a browser that navigates to it, unless `raw`, `dl` or `Range` is given), a site as its entry file at `/{ns}/{id}/`, to which browsers are led. An item with a password answers browsers with a form. Some namespaces are reserved for the service; what is in none of them is looked up here. With `.qr.svg` or `.qr.png` behind the id it is a QR code of the address, which counts no view and asks for no password; an item of that very id goes before.',
  tags: ['Short URLs'],
  security: MAY_NEED_PASSWORD,
  parameters: [...READ_PARAMETERS, ...parameters('LivePage', 'LastEventId').slice(1)],
  responses: responses(
    'The item.',
    'To the address with its slash (a site, for browsers) or without it (anything else).',
  ),
  'x-example-requests': [
    { summary: 'A page', status: 200, needs: 'html' },
    { summary: 'Its source', status: 200, needs: 'html', query: { raw: '1' } },
    { summary: 'A page with a password', status: 200, needs: 'locked html', query: { p: 'correct horse' } },
    { summary: 'Without the password', status: 403, needs: 'locked html' },
    { summary: 'An unchanged page', status: 304, needs: 'html', headers: { 'If-None-Match': '{etag}' } },
    { summary: 'A store', status: 200, needs: 'kv' },
    { summary: 'A store, for a browser', status: 200, needs: 'kv', headers: { Accept: 'text/html' } },
    { summary: 'A document', status: 200, needs: 'json' },
    { summary: 'A file', status: 200, needs: 'file' },
    {
      summary: 'A file, for a browser',
      status: 200,
      needs: 'file',
      headers: { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' },
    },
    { summary: 'A part of a file', status: 206, needs: 'file', headers: { Range: 'bytes=0-3' } },
    { summary: 'A site', status: 200, needs: 'site' },
    {
      summary: 'A site, for a browser',
      status: 308,
      needs: 'site',
      headers: { Accept: 'text/html', 'Sec-Fetch-Dest': 'document' },
    },
    { summary: 'Nothing', status: 404, path: { ns: 'public', id: 'nothing-is-here' } },
  ],
};

const resolvePart: Operation = {
  operationId: 'resolvePart',
  summary: 'Open a part of an item',
  description:
    'A key of a store: its bare value, as JSON, a text as text; with `wait` when it is another one, and with `Accept: text/event-stream` as events, as `readKey` has them. A file of a site: its bytes; a folder shows its `index.html`, a path that is not there the `404.html` of the site, with 404. Counts a view, but for that 404.',
  tags: ['Short URLs'],
  security: MAY_NEED_PASSWORD,
  parameters: [
    ...parameters('Namespace', 'Id', 'Sub'),
    ...parameters('Wait', 'LastEventId').slice(1),
    ...READ_PARAMETERS.filter((one) => !parameters(...ITEM).some(({ $ref }) => $ref === one.$ref)),
  ],
  responses: {
    ...responses('The part.', 'To the address of the folder, or of the item.'),
    ...MISSING_PART,
  },
  'x-example-requests': [
    { summary: 'A key', status: 200, needs: 'kv', path: { sub: 'greeting' } },
    {
      summary: 'An unchanged key',
      status: 304,
      needs: 'kv',
      path: { sub: 'greeting' },
      headers: { 'If-None-Match': '{etag}' },
    },
    { summary: 'A file of a site', status: 200, needs: 'site', path: { sub: 'assets/site.css' } },
    {
      summary: 'A part of it',
      status: 206,
      needs: 'site',
      path: { sub: 'assets/site.css' },
      headers: { Range: 'bytes=0-1' },
    },
    { summary: 'A path that is not there', status: 404, needs: 'site', path: { sub: 'nothing.html' } },
  ],
};

/** The short URLs' operations (specification, chapter 9). */
export const RESOLVERS: Paths = {
  '/{ns}/{id}': { get: inPlace(resolve) },
  '/{ns}/{id}/{sub}': { get: inPlace(resolvePart) },
};
