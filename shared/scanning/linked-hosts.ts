import { decodeHTML } from 'entities';
import { withOwnEntities } from './own-entities.ts';

/** Longest host that can be resolved (RFC 1035), with the dot of the root. */
const HOST_CHARACTERS = 254;

/** Longest spelling of a host that is looked at: IDNA takes time that grows with the square of its length. */
const SPELLING_CHARACTERS = 512;

/** After this many spellings, some milliseconds of work, the reader yields to the event loop. */
const PAUSE_AFTER = 50;

/** Beginnings of addresses after which it yields, too: most of a page may be beginnings of none. */
const PAUSE_AFTER_STARTS = 20_000;

/** Characters of a page whose references are decoded in one go, roughly. */
const DECODED_AT_ONCE = 262_144;

/** Times that the references of a page are decoded: frames may have a page in an attribute, and so may the frames in it. */
const MAX_DECODED = 4;

/** A character as styles may write it: by its number, which white space may end, or behind a backslash. */
const CSS_ESCAPE = /\\(?:([\da-f]{1,6})\s?|\S)/gi;

/** Behind it an authority begins. Browsers take a backslash for a slash, and need none behind a scheme. */
const START = /[/\\]{2,}|(?:https?|wss?):[/\\]*/gi;

/** An authority, and what may be in the name of its user, has none of these, but for what begins another one. */
const END = /[/\\?#]|(?:https?|wss?):/gi;

/** Runs of characters that a host is written in; everything that IDNA maps is among them. */
const HOST = /\[[\da-f:.]{2,45}\]|[^\s\0-$&-,/:-@[-^`{-\x7f]+/gi;

/** A host behind the name of a user, in which browsers take every character but those between segments, white space and quotes. */
const AFTER_USER = /@(\[[\da-f:.]{2,45}\]|[^\s\0-$&-,/:-@[-^`{-\x7f]+)/gi;

/** IDNA passes over these. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/**
 * The hosts that a page names in addresses, wherever they stand, as browsers write them: in an attribute, a script, a style or a
 * line of markdown; behind entities, too, and broken over lines, which browsers pass over within an address. A name may come more
 * than once, and with names of which browsers would make something else: whoever asks looks for a few of them. The time is
 * linear in the text; `null` comes now and then, for other work.
 */
export function* linkedHosts(text: string): Generator<string | null> {
  yield* hostsInDecoded(text);
  const expanded = withOwnEntities(text);
  if (expanded !== null) yield* hostsInDecoded(expanded);
}

/** The hosts in a text, and in what it becomes when its references are decoded: more than once, as for a page within a page. */
function* hostsInDecoded(text: string): Generator<string | null> {
  let read = text;
  for (let decoded = 0; ; decoded++) {
    yield* hostsIn(read);
    for (const variant of [read.replace(/[\t\n\r]/g, ''), read.replace(CSS_ESCAPE, cssCharacter)])
      if (variant !== read) yield* hostsIn(variant);
    if (decoded === MAX_DECODED) return;
    const next = yield* decode(read);
    if (next === read) return;
    read = next;
  }
}

const cssCharacter = (written: string, hex?: string): string => {
  if (hex === undefined) return written.slice(1);
  const code = Number.parseInt(hex, 16);
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
};

function* hostsIn(text: string): Generator<string | null> {
  let looked = 0;
  for (const written of hostsWrittenIn(text)) {
    if (written !== null) {
      yield* hostsOf(written);
      looked += 1;
    }
    if (written === null || looked % PAUSE_AFTER === 0) yield null;
  }
  yield null;
}

/** Decodes references by pieces that each begin with one, so that none is cut. */
function* decode(text: string): Generator<null, string> {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf('&', from + DECODED_AT_ONCE);
    const to = next < 0 ? text.length : next;
    pieces.push(decodeHTML(text.slice(from, to)));
    from = to;
    if (from < text.length) yield null;
  }
  return pieces.join('');
}

/** Finds each text that may be the host of an address, as it is written; `null` now and then. */
function* hostsWrittenIn(text: string): Generator<string | null> {
  // Expressions with a place of their own: each character is gone over once by either.
  const start = new RegExp(START);
  const end = new RegExp(END);
  for (let starts = 1; start.exec(text) !== null; starts++) {
    if (starts % PAUSE_AFTER_STARTS === 0) yield null;
    const from = start.lastIndex;
    end.lastIndex = from;
    const to = end.exec(text)?.index ?? text.length;
    start.lastIndex = to;
    if (to > from) yield* hostsBehind(text.slice(from, to));
  }
}

/** Up to the first end of an authority all hosts, behind it only what can still be behind the name of a user. */
function* hostsBehind(start: string): Generator<string> {
  const end = start.search(/[\s"<>]/);
  for (const [written] of (end < 0 ? start : start.slice(0, end)).matchAll(HOST)) yield written;
  if (end < 0) return;
  for (const [, written = ''] of start.slice(end).matchAll(AFTER_USER)) yield written;
}

/** The hosts that browsers may take a spelling for: none when it can be none. */
function* hostsOf(written: string): Generator<string> {
  const name = withoutDots(written).toLowerCase();
  if (/^[a-z\d._-]*$/.test(name)) {
    if (name.length > HOST_CHARACTERS) return;
    // An IPv4 address may be one number.
    if (/(?:^|\.)(?:\d+|0x[\da-f]*)$/.test(name)) yield* parsed(name);
    else if (name.includes('.')) yield name;
    return;
  }
  const plain = unescaped(name).replace(IGNORED, '');
  if (plain.length <= SPELLING_CHARACTERS) yield* parsed(plain);
  // In some languages text goes on behind a host without a space.
  const [ascii = ''] = /^[a-z\d._-]+/.exec(name) ?? [];
  yield* hostsOf(ascii);
}

/** A sentence may end behind a host. */
function withoutDots(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === '.') start += 1;
  while (start < end && text[end - 1] === '.') end -= 1;
  return text.slice(start, end);
}

function* parsed(host: string): Generator<string> {
  const address = `http://${host}/`;
  if (!URL.canParse(address)) return;
  const { hostname } = new URL(address);
  if (hostname.includes('.') || hostname.startsWith('[')) yield hostname.replace(/\.$/, '');
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
