import { errors } from '../../../../shared/errors.ts';
import type { PageFormat } from '../../../../shared/items/content.ts';

/** How to read a page of one Content-Type. */
export interface PageMediaType {
  /** `json`: our own envelope; `binary`: to be sniffed; else the text itself. */
  body: 'json' | 'text' | 'binary';
  /** `null`: to be told from the content. */
  format: PageFormat | null;
  /** Name of the language for highlighting. */
  language: string | null;
  /** As stored and served again by `raw`. */
  contentType: string;
}

const text = (
  format: PageFormat | null,
  language: string | null,
  contentType: string,
  body: PageMediaType['body'] = 'text',
): PageMediaType => ({ body, format, language, contentType: `${contentType}; charset=utf-8` });

/** Specification 4.2. */
const MEDIA_TYPES: Record<string, PageMediaType> = {
  'application/json': text('HTML', null, 'text/html', 'json'),
  'application/octet-stream': text(null, null, 'text/plain', 'binary'),
  // By default curl calls so whatever it is told to post (-d).
  'application/x-www-form-urlencoded': text(null, null, 'text/plain'),
  'text/html': text('HTML', null, 'text/html'),
  'text/markdown': text('MARKDOWN', null, 'text/markdown'),
  'text/x-markdown': text('MARKDOWN', null, 'text/markdown'),
  'text/plain': text(null, null, 'text/plain'),
  'text/yaml': text('TEXT', 'yaml', 'text/yaml'),
  'text/x-yaml': text('TEXT', 'yaml', 'text/yaml'),
  'application/yaml': text('TEXT', 'yaml', 'application/yaml'),
  'application/x-yaml': text('TEXT', 'yaml', 'application/x-yaml'),
  'text/xml': text('TEXT', 'xml', 'text/xml'),
  'application/xml': text('TEXT', 'xml', 'application/xml'),
  'text/csv': text('TEXT', 'csv', 'text/csv'),
  'text/css': text('TEXT', 'css', 'text/css'),
  'text/javascript': text('TEXT', 'javascript', 'text/javascript'),
  'application/javascript': text('TEXT', 'javascript', 'application/javascript'),
  'application/x-javascript': text('TEXT', 'javascript', 'application/javascript'),
  'text/x-toml': text('TEXT', 'toml', 'text/x-toml'),
  'text/toml': text('TEXT', 'toml', 'text/x-toml'),
  'application/toml': text('TEXT', 'toml', 'application/toml'),
};

/** A body without a type is looked at, as programs that know none send it. */
const UNTYPED = 'application/octet-stream';

/** The types of bodies that can be a page. */
export const PAGE_TYPES = Object.keys(MEDIA_TYPES);

/** The stored type of each format when the owner names the format. */
export const CONTENT_TYPE_OF: Record<PageFormat, string> = {
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
