import { type ErrorCode, errors } from '../../../../shared/errors.ts';
import type { PageFormat } from '../../../../shared/items/content.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { readBody, readJsonObject } from '../../admission/read-body.ts';
import { pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';
import { htmlTitle } from '../../items/page-head.ts';
import { assertText, decodeText, fileExtension, looksLikeHtml } from '../../uploads/inspect-content.ts';
import { CONTENT_TYPE_OF, type PageMediaType, pageMediaType } from './media-types.ts';

/** The page as it arrived: its bytes, and the other fields of our JSON body. */
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
  if (mediaType.body !== 'binary') return await readPage(context, mediaType, budget, LIMITS.htmlBytes);
  // Above the largest file the content is not inspected: the error is a page's (specification 4.3).
  const bytes = await readBody(context, limitOf(LIMITS.videoBytes), budget);
  const extension = await fileExtension(bytes);
  if (extension !== null) return { file: bytes, extension };
  if (bytes.length > LIMITS.htmlBytes) throw errors.pageTooLarge(LIMITS.htmlBytes);
  return { bytes, text: decodeText(bytes), mediaType, fields: {} };
}

/** Reads and checks the body of a page update or preview. Unlike a create, it takes no file. */
export async function readPageBody(
  context: RequestContext,
  budget: MemoryBudget,
  mostBytes: number = LIMITS.htmlBytes,
): Promise<PageBody> {
  const mediaType = pageMediaType(context.contentType);
  if (mediaType.body !== 'binary') return await readPage(context, mediaType, budget, mostBytes);
  const bytes = await readBody(context, limitOf(mostBytes), budget);
  if ((await fileExtension(bytes)) !== null) {
    throw errors.unsupportedMediaType('The body is a file and not a page. Send text.');
  }
  return { bytes, text: decodeText(bytes), mediaType, fields: {} };
}

async function readPage(
  context: RequestContext,
  mediaType: PageMediaType,
  budget: MemoryBudget,
  mostBytes: number,
): Promise<PageBody> {
  if (mediaType.body === 'json') return await parseEnvelope(context, mediaType, budget, mostBytes);
  const bytes = await readBody(context, limitOf(mostBytes), budget);
  return { bytes, text: decodeText(bytes), mediaType, fields: {} };
}

async function parseEnvelope(
  context: RequestContext,
  mediaType: PageMediaType,
  budget: MemoryBudget,
  mostBytes: number,
): Promise<PageBody> {
  const limit = limitOf(mostBytes);
  const envelope = { ...limit, bytes: envelopeBytes(mostBytes) };
  const fields = await readJsonObject(context, envelope, budget);
  const { content } = fields;
  if (typeof content !== 'string') {
    const isMissing = content === undefined || content === null;
    const message = isMissing ? 'is missing; send the page as text.' : 'must be text.';
    throw errors.validationFailed([{ field: 'content', message }]);
  }
  const bytes = new TextEncoder().encode(assertText(content));
  if (bytes.length > mostBytes) throw limit.tooLarge();
  return { bytes, text: content, mediaType, fields };
}

const FORMATS = new Map<string, PageFormat>([
  ['html', 'HTML'],
  ['markdown', 'MARKDOWN'],
  ['md', 'MARKDOWN'],
  ['text', 'TEXT'],
]);

export interface PageKind {
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
  if (named === undefined) issues.add('VALIDATION_FAILED', 'format', 'must be html, markdown (md) or text.');
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
  if (
    format === 'TEXT' &&
    mediaType.body !== 'json' &&
    mediaType.format !== 'HTML' &&
    mediaType.format !== 'MARKDOWN'
  ) {
    return { format, language, contentType };
  }
  return { format, language: null, contentType: CONTENT_TYPE_OF[format] };
}

/** The title in the content of an HTML page; the heading of markdown is found when it is rendered. */
export const suggestedTitle = (format: PageFormat, text: string): string | null =>
  format === 'HTML' ? htmlTitle(text) : null;
