/** The type of a value, by the character it begins with. */
export type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/**
 * The values of a JSON text in the order in which they stand in it: where each begins and ends, and to which it belongs. Values
 * stay text until they are shown, so that numbers keep their digits, and a large document costs a few numbers for each value.
 */
export interface JsonIndex {
  /** The text of a value as it was sent. */
  source(node: number): string;
  type(node: number): JsonType;
  /** The name of a member, as text; `null` for elements of lists and for the document itself. */
  key(node: number): string | null;
  /** -1 for the document itself. */
  parent(node: number): number;
  /** How many members or elements a value has. */
  childCount(node: number): number;
  /** The first child; the others follow by `next`. */
  firstChild(node: number): number;
  /** The node behind a value and all that is in it: its next sibling, if its parent has one more. */
  next(node: number): number;
  readonly size: number;
}

const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Fields of a node, side by side. */
const START = 0;
const END = 1;
const KEY = 2;
const PARENT = 3;
const CHILDREN = 4;
const NEXT = 5;
const FIELDS = 6;

/**
 * Indexes a JSON text in one pass, without recursion, so that no depth of nesting is too much for it.
 * @throws SyntaxError when it is no JSON
 */
export function indexJson(text: string): JsonIndex {
  // The browser's own parser says whether it is valid; the pass below only has to find the values.
  JSON.parse(text);
  let fields = new Int32Array(FIELDS * 1024);
  let size = 0;
  let parent = -1;
  let key = -1;
  const { length } = text;

  const field = (node: number, which: number): number => fields[node * FIELDS + which] ?? -1;
  const set = (node: number, which: number, value: number): void => {
    fields[node * FIELDS + which] = value;
  };
  const add = (start: number): number => {
    if ((size + 1) * FIELDS > fields.length) {
      const larger = new Int32Array(fields.length * 2);
      larger.set(fields);
      fields = larger;
    }
    const node = size;
    size += 1;
    set(node, START, start);
    set(node, KEY, key);
    set(node, PARENT, parent);
    if (parent >= 0) set(parent, CHILDREN, field(parent, CHILDREN) + 1);
    key = -1;
    return node;
  };
  const close = (node: number, end: number): void => {
    set(node, END, end);
    set(node, NEXT, size);
  };

  for (let at = 0; at < length; ) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === COMMA) at += 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      parent = add(at);
      at += 1;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      at += 1;
      close(parent, at);
      parent = field(parent, PARENT);
    } else if (code === QUOTE) {
      const end = endOfString(text, at);
      const isName = parent >= 0 && key < 0 && text.charCodeAt(field(parent, START)) === OPEN_OBJECT;
      if (isName) {
        key = at;
        at = text.indexOf(':', end) + 1;
      } else {
        close(add(at), end);
        at = end;
      }
    } else {
      const end = endOfScalar(text, at);
      close(add(at), end);
      at = end;
    }
  }

  return {
    source: (node) => text.slice(field(node, START), field(node, END)),
    type: (node) => typeAt(text, field(node, START)),
    key(node) {
      const start = field(node, KEY);
      return start < 0 ? null : JSON.parse(text.slice(start, endOfString(text, start)));
    },
    parent: (node) => field(node, PARENT),
    childCount: (node) => field(node, CHILDREN),
    firstChild: (node) => node + 1,
    next: (node) => field(node, NEXT),
    size,
  };
}

/** Behind the closing quote of the string that begins at a place. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
}

/** Behind a number, `true`, `false` or `null`. */
function endOfScalar(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code <= SPACE || code === COMMA || code === CLOSE_LIST || code === CLOSE_OBJECT) return at;
  }
  return text.length;
}

function typeAt(text: string, start: number): JsonType {
  switch (text.charAt(start)) {
    case '{':
      return 'object';
    case '[':
      return 'array';
    case '"':
      return 'string';
    case 't':
    case 'f':
      return 'boolean';
    case 'n':
      return 'null';
    default:
      return 'number';
  }
}

/** Where a value stands, as JavaScript and JSONPath write it: `$.items[3]["a key"]`. */
export function pathOf(index: JsonIndex, node: number): string {
  const parts: string[] = [];
  for (let at = node; index.parent(at) >= 0; at = index.parent(at)) {
    const key = index.key(at);
    if (key === null) parts.push(`[${placeOf(index, at)}]`);
    else parts.push(/^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);
  }
  return `$${parts.toReversed().join('')}`;
}

/** How many siblings stand before a value. */
export function placeOf(index: JsonIndex, node: number): number {
  let place = 0;
  const parent = index.parent(node);
  if (parent < 0) return 0;
  for (let at = index.firstChild(parent); at < node; at = index.next(at)) place += 1;
  return place;
}

/** Longest that a search keeps the page from answering, in ms. */
const SLICE_MS = 12;

/** Most matches that are listed; whoever finds more asks for something more precise. */
export const MAX_MATCHES = 10_000;

/**
 * The values whose name or own text has a text in it, any case, in the order of the document. Works in slices, so that the
 * page answers meanwhile; `null` when it was not wanted any more.
 */
export async function searchJson(
  index: JsonIndex,
  text: string,
  isWanted: () => boolean,
): Promise<number[] | null> {
  const wanted = text.toLowerCase();
  const found: number[] = [];
  let began = performance.now();
  for (let node = 0; node < index.size && found.length < MAX_MATCHES; node++) {
    if (has(index, node, wanted)) found.push(node);
    if (node % 256 !== 0 || performance.now() - began < SLICE_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    if (!isWanted()) return null;
    began = performance.now();
  }
  return found;
}

function has(index: JsonIndex, node: number, wanted: string): boolean {
  if (index.key(node)?.toLowerCase().includes(wanted)) return true;
  const type = index.type(node);
  if (type === 'object' || type === 'array') return false;
  const source = index.source(node);
  const text = type === 'string' && source.includes('\\') ? String(JSON.parse(source)) : source;
  return text.toLowerCase().includes(wanted);
}
