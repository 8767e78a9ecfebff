import { errors } from '../../../shared/errors.ts';
import { LIMITS } from '../../../shared/items/item.ts';
import type { PageFormat } from '../../../shared/items/route.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Faults } from './faults.ts';
import { assertNoFile, assertText, decodeText, htmlTitle, looksLikeHtml } from './inspect-text.ts';
import { readJsonObject } from './json-body.ts';
import type { MemoryBudget } from './memory-budget.ts';
import { CONTENT_TYPE_OF, type PageMediaType, pageMediaType } from './page-media-types.ts';
import { pick } from './parameters.ts';
import { readBody } from './read-body.ts';

/** The page as it arrived: its bytes, and the other fields of our JSON body. */
export interface PageBody {
  bytes: Uint8Array;
  text: string;
  mediaType: PageMediaType;
  /** Empty for raw bodies. */
  fields: Record<string, unknown>;
}

/** A character of content takes at most six in JSON (`\u0041`); the rest is room for the other fields. */
const ENVELOPE_BYTES = 6 * LIMITS.htmlBytes + 65_536;

const tooLarge = () => errors.contentTooLarge(LIMITS.htmlBytes);

/** Reads and checks the body of a page create or update, raw or as JSON (specification 4.2). */
export async function readPageBody(exchange: Exchange, budget: MemoryBudget): Promise<PageBody> {
  const mediaType = pageMediaType(exchange.request.headers.get('content-type'));
  if (mediaType.body === 'json') return parseEnvelope(exchange, mediaType, budget);
  const bytes = await readBody(exchange, { bytes: LIMITS.htmlBytes, tooLarge }, budget);
  if (mediaType.body === 'binary') await assertNoFile(bytes);
  return { bytes, text: decodeText(bytes), mediaType, fields: {} };
}

async function parseEnvelope(
  exchange: Exchange,
  mediaType: PageMediaType,
  budget: MemoryBudget,
): Promise<PageBody> {
  const fields = await readJsonObject(exchange, { bytes: ENVELOPE_BYTES, tooLarge }, budget);
  const { content } = fields;
  if (typeof content !== 'string') {
    throw errors.validationFailed([{ field: 'content', message: 'is missing; send the page as text.' }]);
  }
  const bytes = new TextEncoder().encode(assertText(content));
  if (bytes.length > LIMITS.htmlBytes) throw tooLarge();
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

/** What the page is: as its owner says, else as its Content-Type does, else as its content looks (shapes.md, HTML). */
export function decideFormat(
  { mediaType, text, fields }: PageBody,
  query: URLSearchParams,
  faults: Faults,
): PageKind {
  const asked = pick(query, fields, ['format']);
  const named = typeof asked === 'string' ? FORMATS.get(asked.trim().toLowerCase()) : undefined;
  if (asked !== null && named === undefined) {
    faults.add('VALIDATION_FAILED', 'format', 'must be html, markdown (md) or text.');
  }
  const { language, contentType } = mediaType;
  const format = named ?? mediaType.format ?? (looksLikeHtml(text) ? 'HTML' : 'TEXT');
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

/** What the page calls itself; markdown's heading is found when it is rendered. */
export const suggestedTitle = (format: PageFormat, text: string): string | null =>
  format === 'HTML' ? htmlTitle(text) : null;
