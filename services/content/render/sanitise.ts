import sanitizeHtml, { type Attributes, type IOptions, type Tag } from 'sanitize-html';

const TEXT_LEVEL =
  'a abbr b bdi bdo br cite code del dfn em i img input ins kbd mark picture q rp rt ruby s samp small source span strike strong sub sup time tt u var wbr';
const BLOCK_LEVEL =
  'blockquote center dd details div dl dt figcaption figure h1 h2 h3 h4 h5 h6 hr li ol p pre section summary ul';
const TABLE = 'caption col colgroup table tbody td tfoot th thead tr';

const CLASSES: Record<string, string[]> = {
  code: ['language-*'],
  span: ['hljs-*', '*_'],
  section: ['footnotes'],
  h2: ['sr-only'],
  div: ['scroll', 'markdown-alert', 'markdown-alert-*'],
  p: ['markdown-alert-title'],
};

/** Allows the elements of GitHub Flavored Markdown, footnotes and highlighting, and the raw HTML that GitHub allows. */
const POLICY: IOptions = {
  allowedTags: `${TEXT_LEVEL} ${BLOCK_LEVEL} ${TABLE}`.split(' '),
  nonTextTags:
    'script style textarea option select noscript iframe noembed noframes object template svg math xmp plaintext title'.split(
      ' ',
    ),
  allowedAttributes: {
    '*': ['id', 'dir', 'lang', 'title', 'align'],
    a: ['href', 'name', 'rel', 'aria-describedby', 'aria-label'],
    img: ['src', 'srcset', 'sizes', 'alt', 'width', 'height'],
    source: ['srcset', 'sizes', 'media', 'type'],
    input: ['type', 'checked', 'disabled', 'aria-label'],
    details: ['open'],
    ol: ['start', 'reversed', 'type'],
    li: ['value'],
    td: ['colspan', 'rowspan', 'valign'],
    th: ['colspan', 'rowspan', 'valign', 'scope'],
    col: ['span'],
    colgroup: ['span'],
    table: ['width'],
    time: ['datetime'],
    blockquote: ['cite'],
    code: ['class'],
    span: ['class'],
    p: ['class'],
    section: ['class'],
    h2: ['class'],
    div: ['class', 'tabindex', 'role', 'aria-label'],
    pre: ['tabindex'],
  },
  allowedClasses: CLASSES,
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['http', 'https', 'data'], source: ['http', 'https'] },
  selfClosing: ['img', 'br', 'hr', 'input', 'source', 'col', 'wbr'],
  transformTags: { a: markExternalLink, img: dropDataButImages, input: disableCheckbox, pre: makeFocusable },
  exclusiveFilter: (frame) => frame.tag === 'input' && frame.attribs.type !== 'checkbox',
};

/**
 * HTML in which nothing can run, load a document, submit, or style the page: balanced tags of the policy only.
 * @param placeClasses patterns of further classes that a `span` may have, beside those of highlighting
 */
export function sanitise(markup: string, placeClasses: readonly string[] = []): string {
  const { span = [] } = CLASSES;
  return sanitizeHtml(markup, {
    ...POLICY,
    allowedClasses: { ...CLASSES, span: [...span, ...placeClasses] },
  });
}

/** The text of a piece of HTML: no tags and control characters, character references resolved, white space collapsed. */
export function plainText(markup: string): string {
  const references: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };
  return sanitizeHtml(markup, { allowedTags: [] })
    .replace(/&(?:lt|gt|quot|amp);/g, (reference) => references[reference] ?? reference)
    .replace(/(?!\s)\p{Cc}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function markExternalLink(tagName: string, attribs: Attributes): Tag {
  const { rel: _given, ...rest } = attribs;
  const external = /^\s*(?:https?:|[\\/]{2})/i.test(attribs.href ?? '');
  return { tagName, attribs: external ? { ...rest, rel: 'noopener nofollow ugc' } : rest };
}

function dropDataButImages(tagName: string, attribs: Attributes): Tag {
  // Browsers ignore control characters and white space in a scheme, so the check does too.
  const source = (attribs.src ?? '').replace(/[\0-\x20]/g, '');
  if (!/^data:(?!image\/)/i.test(source)) return { tagName, attribs };
  const { src: _dropped, ...rest } = attribs;
  return { tagName, attribs: rest };
}

function disableCheckbox(tagName: string, attribs: Attributes): Tag {
  const checked = attribs.checked === undefined ? {} : { checked: '' };
  const state = attribs.checked === undefined ? 'To do' : 'Done';
  return {
    tagName,
    attribs: { type: attribs.type ?? 'text', disabled: '', ...checked, 'aria-label': state },
  };
}

/** Code may scroll sideways, so it has to be reached with the keyboard. */
function makeFocusable(tagName: string, attribs: Attributes): Tag {
  return { tagName, attribs: { ...attribs, tabindex: '0' } };
}
