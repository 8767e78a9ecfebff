import { errors } from '../../../../shared/errors.ts';
import type { PageFormat } from '../../../../shared/items/content.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { ErrorCode } from '../../../../shared/perch-error.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { readBody, readJsonObject } from '../../admission/read-body.ts';
import { pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import { htmlTitle } from '../../rendered-pages/page-head.ts';
import { assertText, decodeText, fileExtension, looksLikeHtml } from '../../uploads/inspect-content.ts';

/** How to read a page of one Content-Type. */
interface PageMediaType {
  /** `json`: our own envelope; `binary`: to be sniffed; else the text itself. */
  body: 'json' | 'text' | 'binary';
  /** `null`: to be told from the content. */
  format: PageFormat | null;
  /** Name of the language for highlighting. */
  language: string | null;
  /** Type as it is stored and served again by `raw`. */
  contentType: string;
}

const pageType = (
  format: PageFormat | null,
  language: string | null,
  contentType: string,
  body: PageMediaType['body'] = 'text',
): PageMediaType => ({ body, format, language, contentType: `${contentType}; charset=utf-8` });

/** Specification 4.2. */
const MEDIA_TYPES: Record<string, PageMediaType> = {
  'application/json': pageType('HTML', null, 'text/html', 'json'),
  'application/octet-stream': pageType(null, null, 'text/plain', 'binary'),
  // `curl -d` sends this type by default, whatever the body is.
  'application/x-www-form-urlencoded': pageType(null, null, 'text/plain'),
  'text/html': pageType('HTML', null, 'text/html'),
  'text/markdown': pageType('MARKDOWN', null, 'text/markdown'),
  'text/x-markdown': pageType('MARKDOWN', null, 'text/markdown'),
  'text/plain': pageType(null, null, 'text/plain'),
  'text/yaml': pageType('TEXT', 'yaml', 'text/yaml'),
  'text/x-yaml': pageType('TEXT', 'yaml', 'text/yaml'),
  'application/yaml': pageType('TEXT', 'yaml', 'application/yaml'),
  'application/x-yaml': pageType('TEXT', 'yaml', 'application/x-yaml'),
  'text/xml': pageType('TEXT', 'xml', 'text/xml'),
  'application/xml': pageType('TEXT', 'xml', 'application/xml'),
  'text/csv': pageType('TEXT', 'csv', 'text/csv'),
  'text/css': pageType('TEXT', 'css', 'text/css'),
  'text/javascript': pageType('TEXT', 'javascript', 'text/javascript'),
  'application/javascript': pageType('TEXT', 'javascript', 'application/javascript'),
  'application/x-javascript': pageType('TEXT', 'javascript', 'application/javascript'),
  'text/x-toml': pageType('TEXT', 'toml', 'text/x-toml'),
  'text/toml': pageType('TEXT', 'toml', 'text/x-toml'),
  'application/toml': pageType('TEXT', 'toml', 'application/toml'),
};

/** A body without a Content-Type is sniffed. */
const UNTYPED = 'application/octet-stream';

/** The types of bodies that can be a page. */
export const PAGE_TYPES = Object.keys(MEDIA_TYPES);

/** The stored type of each format when the owner names the format. */
const CONTENT_TYPE_OF: Record<PageFormat, string> = {
  HTML: 'text/html; charset=utf-8',
  MARKDOWN: 'text/markdown; charset=utf-8',
  TEXT: 'text/plain; charset=utf-8',
};

/** @throws UNSUPPORTED_MEDIA_TYPE for what cannot be a page. */
export function pageMediaType(header: string | null): PageMediaType {
  const [essence = '', ...parameters] = (header ?? '').toLowerCase().split(';');
  const name = essence.trim() || UNTYPED;
  const type = Object.hasOwn(MEDIA_TYPES, name) ? MEDIA_TYPES[name] : undefined;
  if (type === undefined) throw errors.unsupportedMediaType(notAPage(name));
  const charset = parameters
    .map((parameter) => parameter.split('=', 2).map((part) => part.trim()))
    .find(([key]) => key === 'charset')?.[1]
    ?.replace(/^"|"$/g, '');
  if (charset && !['utf-8', 'utf8', 'us-ascii'].includes(charset)) {
    throw errors.unsupportedMediaType(`The charset "${charset.slice(0, 40)}" is not supported: send UTF-8.`);
  }
  return type;
}

function notAPage(type: string): string {
  return `The Content-Type "${type.slice(0, 80)}" cannot be a page. Send text/html, text/markdown, text/plain or application/json, for example with curl --data-binary @page.html -H 'Content-Type: text/html'.`;
}

/** A page as it arrived: its bytes, and the other fields of our JSON body. */
export interface PageBody {
  bytes: Uint8Array;
  text: string;
  mediaType: PageMediaType;
  /** Empty for raw bodies. */
  fields: Record<string, unknown>;
}

/** A character of content takes at most six in JSON (`\u0041`); the rest is room for the other fields. */
const envelopeBytes = (contentBytes: number): number => 6 * contentBytes + 65_536;

const limitOf = (bytes: number) => ({ bytes, tooLarge: () => errors.pageTooLarge(bytes) });

/** Errors of reading a page's body. */
export const BODY_CODES: ErrorCode[] = [
  ...(['VALIDATION_FAILED', 'JSON_INVALID', 'UNSUPPORTED_MEDIA_TYPE'] as const),
  ...(['PAGE_TOO_LARGE', 'CONTENT_REJECTED', 'LINK_BLOCKED', 'RATE_LIMITED'] as const),
];

/** A binary body that is a file, with the extension that its content asks for. */
export interface FileBody {
  file: Uint8Array;
  extension: string;
}

/** Reads and checks the body of a page create, raw or as JSON; a binary one may be a file instead (specification 4.3). */
export async function readPageOrFile(
  context: RequestContext,
  budget: MemoryBudget,
): Promise<PageBody | FileBody> {
  const mediaType = pageMediaType(context.contentType);
  if (mediaType.body !== 'binary') return await readPageBody(context, budget);
  // Above the largest file the content is not inspected: the error is a page's (specification 4.3).
  const bytes = await readBody(context, limitOf(LIMITS.videoBytes), budget);
  const extension = await fileExtension(bytes);
  if (extension !== null) return { file: bytes, extension };
  if (bytes.length > LIMITS.htmlBytes) throw errors.pageTooLarge(LIMITS.htmlBytes);
  return rawPage(bytes, mediaType);
}

/** Reads and checks the body of a page update or preview. Unlike a create, it takes no file. */
export async function readPageBody(
  context: RequestContext,
  budget: MemoryBudget,
  maxBytes: number = LIMITS.htmlBytes,
): Promise<PageBody> {
  const mediaType = pageMediaType(context.contentType);
  if (mediaType.body === 'json') return await parseEnvelope(context, mediaType, budget, maxBytes);
  const bytes = await readBody(context, limitOf(maxBytes), budget);
  if (mediaType.body === 'binary' && (await fileExtension(bytes)) !== null) {
    throw errors.unsupportedMediaType('The body is a file and not a page. Send text.');
  }
  return rawPage(bytes, mediaType);
}

function rawPage(bytes: Uint8Array, mediaType: PageMediaType): PageBody {
  return { bytes, text: decodeText(bytes), mediaType, fields: {} };
}

async function parseEnvelope(
  context: RequestContext,
  mediaType: PageMediaType,
  budget: MemoryBudget,
  maxBytes: number,
): Promise<PageBody> {
  const limit = limitOf(maxBytes);
  const envelope = { ...limit, bytes: envelopeBytes(maxBytes) };
  const fields = await readJsonObject(context, envelope, budget);
  const { content } = fields;
  if (typeof content !== 'string') {
    const isMissing = content === undefined || content === null;
    const message = isMissing ? 'is missing; send the page as text.' : 'must be text.';
    throw errors.validationFailed([{ field: 'content', message }]);
  }
  const bytes = new TextEncoder().encode(assertText(content));
  if (bytes.length > maxBytes) throw limit.tooLarge();
  return { bytes, text: content, mediaType, fields };
}

const FORMATS = new Map<string, PageFormat>([
  ['html', 'HTML'],
  ['markdown', 'MARKDOWN'],
  ['md', 'MARKDOWN'],
  ['text', 'TEXT'],
]);

interface PageKind {
  format: PageFormat;
  language: string | null;
  contentType: string;
}

/** The format that a request asks for; `null`: none. */
export function formatAsked(
  query: URLSearchParams,
  fields: PageBody['fields'],
  issues: ValidationIssues,
): PageFormat | null {
  const asked = pick(query, fields, ['format']);
  if (asked === null) return null;
  const named = typeof asked === 'string' ? FORMATS.get(asked.trim().toLowerCase()) : undefined;
  if (named === undefined) issues.add('format', 'must be html, markdown (md) or text.');
  return named ?? null;
}

/** The page's format: its owner's parameter decides, else its Content-Type, else its content (specification 4.2). */
export function decideFormat(
  { mediaType, text, fields }: PageBody,
  query: URLSearchParams,
  issues: ValidationIssues,
): PageKind {
  const { language, contentType } = mediaType;
  const format =
    formatAsked(query, fields, issues) ?? mediaType.format ?? (looksLikeHtml(text) ? 'HTML' : 'TEXT');
  // The type and language of the body are those of a text only where it was sent as one.
  if (format === 'TEXT' && (mediaType.format ?? 'TEXT') === 'TEXT') return { format, language, contentType };
  return { format, language: null, contentType: CONTENT_TYPE_OF[format] };
}

/** The title in the content of an HTML page; the heading of markdown is found when it is rendered. */
export const suggestedTitle = (format: PageFormat, text: string): string | null =>
  format === 'HTML' ? htmlTitle(text) : null;
