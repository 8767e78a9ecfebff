import { Marked } from 'marked';

interface Described {
  source?: unknown;
  className?: string;
}

/** The parts of React that Swagger UI hands to its plugins. */
interface React {
  createElement(type: string, props: object): unknown;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** The document's descriptions are ours; an HTML tag in one stands for itself all the same. */
const marked = new Marked({
  renderer: { html: ({ text }) => text.replace(/[&<>]/g, (character) => ESCAPES[character] ?? character) },
});

/** Swagger UI begins texts of its own with these words as HTML. */
const OWN_WORDS = /^<i>(Available values|Default value|Example)<\/i>/;

/** Each text is rendered once: headers and errors of the same name have the same one in every operation. */
const rendered = new Map<string, string>();

/** The HTML of a description's markdown. */
export function descriptionHtml(markdown: string): string {
  let html = rendered.get(markdown);
  if (html === undefined) {
    html = marked.parse(markdown.replace(OWN_WORDS, '*$1*'), { async: false }).trim();
    rendered.set(markdown, html);
  }
  return html;
}

/**
 * A plugin of Swagger UI that draws descriptions from `descriptionHtml`. Its own component parses and sanitises each text at
 * each drawing, which is a quarter of the time that an operation takes to open.
 */
export const descriptions = () => ({
  wrapComponents: {
    Markdown:
      (_original: unknown, { React }: { React: React }) =>
      ({ source, className = '' }: Described) =>
        typeof source !== 'string' || source === ''
          ? null
          : React.createElement('div', {
              className: `${className} renderedMarkdown`.trim(),
              dangerouslySetInnerHTML: { __html: descriptionHtml(source) },
            }),
  },
});

interface Resolved {
  /** The part of the document with what its references stand for in their place. */
  spec: unknown;
  errors: Error[];
}

/**
 * Resolves a part of an OpenAPI document that refers to nothing outside itself, for Swagger UI. Its own resolver goes
 * through the whole document each time an operation is opened.
 */
export function resolveSubtree(document: unknown, path: readonly string[]): Promise<Resolved> {
  return Promise.resolve({ spec: resolved(document, memberAt(document, path), []), errors: [] });
}

/**
 * @param within the references that lead here: one of them once more is left as it is, as Swagger UI shows what refers to
 * itself by its name
 */
function resolved(document: unknown, value: unknown, within: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => resolved(document, one, within));
  if (!isObject(value)) return value;
  const { $ref: reference } = value;
  if (typeof reference !== 'string') {
    const members = Object.entries(value).map(([name, member]) => [name, resolved(document, member, within)]);
    return Object.fromEntries(members);
  }
  if (!reference.startsWith('#/') || within.includes(reference)) return value;
  const target = resolved(document, memberAt(document, partsOf(reference)), [...within, reference]);
  // By this member Swagger UI names the schema.
  return isObject(target) ? { ...target, $$ref: reference } : target;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const memberAt = (document: unknown, path: readonly string[]): unknown =>
  path.reduce((value: unknown, part) => (isObject(value) ? value[part] : undefined), document);

/** Names along a JSON pointer in a URI fragment (RFC 6901, section 6). */
const partsOf = (reference: string): string[] =>
  reference
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
