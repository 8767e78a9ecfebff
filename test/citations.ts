import { parseSync } from 'oxc-parser';

/** A comment as one line of text, without the marks around it. */
export interface Comment {
  /** The line of its beginning, from 1. */
  line: number;
  text: string;
}

/** The documents, headings and sections that a comment can cite. */
export interface Citable {
  /** Paths of all markdown files, from the root. */
  documents: ReadonlySet<string>;
  /** Headings of a markdown file, without their marks. */
  headingsOf(document: string): ReadonlySet<string>;
  /** Numbers of the chapters and sections of docs/specification.md. */
  sections: ReadonlySet<string>;
  /** Numbers of the decisions in docs/decisions. */
  decisions: ReadonlySet<number>;
}

/** The comments of a source file; none where comments of its type are not known. */
export function commentsOf(path: string, source: string): Comment[] {
  const [, type = path.slice(path.lastIndexOf('/') + 1)] = /\.(\w+)$/.exec(path) ?? [];
  if (['ts', 'js'].includes(type)) return scriptComments(path, source);
  if (type === 'css') return matchedComments(source, /\/\*[\s\S]*?\*\//g);
  if (['sql', 'lua'].includes(type)) return matchedComments(source, lineComments('--'));
  return HASH_TYPES.has(type) ? matchedComments(source, lineComments('#')) : [];
}

const HASH_TYPES = new Set(['yaml', 'yml', 'sh', 'py', 'conf', 'Caddyfile', 'Dockerfile']);

/** Lines that are one comment each, several in a row together; and what stands behind code. */
const lineComments = (mark: string): RegExp =>
  new RegExp(`(?:^[ \\t]*${mark}.*(?:\\n[ \\t]*${mark}.*)*)|(?<=[ \\t])${mark}[ \\t].*`, 'gm');

const matchedComments = (source: string, pattern: RegExp): Comment[] =>
  Array.from(source.matchAll(pattern), ({ 0: text, index }) => ({
    line: lineAt(source, index),
    text: withoutMarks(text),
  }));

function scriptComments(path: string, source: string): Comment[] {
  const comments: Comment[] = [];
  let lastEnd = 0;
  for (const { type, start, end } of parseSync(path, source).comments) {
    const text = withoutMarks(source.slice(start, end));
    const last = comments.at(-1);
    // Lines in a row are one comment: a citation may go over the end of one.
    if (type === 'Line' && last !== undefined && /^[ \t]*\n[ \t]*$/.test(source.slice(lastEnd, start))) {
      last.text += ` ${text}`;
    } else comments.push({ line: lineAt(source, start), text });
    lastEnd = end;
  }
  return comments;
}

const lineAt = (source: string, position: number): number => source.slice(0, position).split('\n').length;

const withoutMarks = (comment: string): string =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\*\*?|\*\/|\*|\/\/|--|#+)?|\*\/\s*$/g, '').trim())
    .filter(Boolean)
    .join(' ');

/** Finds citations of things that do not exist, or that a reader of this repository cannot find; each as a phrase. */
export function citationFaults({ text }: Comment, citable: Citable): string[] {
  return [
    ...documentFaults(text, citable),
    ...decisionFaults(text, citable),
    ...sectionFaults(text, citable),
    ...Array.from(text.matchAll(BARE_SECTION), ([found]) => `${found}: cite it as "specification N.N"`),
  ];
}

/** A path; an address of the service such as `/docs/json` is none. */
const DOCUMENT =
  /(?<![\w./-])(?:[\w-]+\/)*[\w-]+\.md\b(?:(?:,| \() ?"([^"]+)")?|(?<![\w./{}-])docs\/[\w./-]*\w/g;

function documentFaults(text: string, { documents, headingsOf }: Citable): string[] {
  const faults: string[] = [];
  for (const [found, heading] of text.matchAll(DOCUMENT)) {
    const [path = ''] = /^[\w./-]+/.exec(found) ?? [];
    const isFolder = [...documents].some((document) => document.startsWith(`${path}/`));
    if (!documents.has(path) && !isFolder) faults.push(`${path}: there is no such document`);
    else if (heading !== undefined && !headingsOf(path).has(heading))
      faults.push(`${path}: has no heading "${heading}"`);
  }
  return faults;
}

const decisionFaults = (text: string, { decisions }: Citable): string[] =>
  Array.from(text.matchAll(/\bdecisions? (\d+)/gi), ([found, number]) => ({ found, number: Number(number) }))
    .filter(({ number }) => !decisions.has(number))
    .map(({ found }) => `${found}: there is no such decision`);

const NUMBERS = String.raw`\d+(?:\.\d+)*(?:(?:,|,? and|;) \d+(?:\.\d+)*)*`;

/** With the name of the document before it, in any of the usual forms, or without. */
const SECTION = new RegExp(
  String.raw`(?:\b(\w+) )?\bspecification,? (?:(?:section|chapter)s? )?(${NUMBERS})|\b(?:section|chapter)s? (${NUMBERS})`,
  'gi',
);

/** Documents of others, which have sections of their own. */
const STANDARD = /\b(?:RFC|ISO|IEC|XML|HTML|URL|PNG|APPNOTE|[Ss]tandard|[A-Z]\w* [Ss]pecification)\b/;

/** How far behind the name of a standard its section is named, in characters. */
const STANDARD_WITHIN = 80;

function sectionFaults(text: string, { sections }: Citable): string[] {
  const faults: string[] = [];
  for (const { 0: found, 1: whose = '', 2: own, 3: bare, index } of text.matchAll(SECTION)) {
    if (bare !== undefined) {
      if (!STANDARD.test(text.slice(Math.max(0, index - STANDARD_WITHIN), index)))
        faults.push(`${found}: of which document?`);
    } else if (!/^[A-Z]/.test(whose) || whose === 'The') {
      const missing = (own ?? '').match(/\d+(?:\.\d+)*/g)?.filter((number) => !sections.has(number)) ?? [];
      for (const number of missing) faults.push(`specification ${number}: there is no such section`);
    }
  }
  return faults;
}

/** A number that says neither of what it is a section nor that it is one. */
const BARE_SECTION = /\(\d{1,2}\.\d{1,2}(?: rule \d+)?\)|\b\d{1,2}\.\d{1,2} rule \d+/g;
