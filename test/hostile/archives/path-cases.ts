import { type ArchiveCase, invalid, PAGE } from './archive-case.ts';
import { type ForgedEntry, unicodePath, writeZip } from './zip-writer.ts';

const withEntries = (name: string, ...entries: ForgedEntry[]): ArchiveCase =>
  invalid(name, () => writeZip([PAGE, ...entries]));

const withPath = (kind: string, path: string): ArchiveCase =>
  withEntries(`${kind}: ${JSON.stringify(path.slice(0, 40))}, ${path.length} long`, {
    name: path,
    ...(path.endsWith('/') ? { mode: 0o040755 } : { data: 'x' }),
  });

const OUTSIDE = [
  ...[
    '..',
    '../x',
    '../../../../etc/passwd',
    'a/..',
    'a/../x',
    'a/../../x',
    'a/b/../../../x',
    '../index.html',
  ],
  ...['.', './.', 'a/.', 'a/./b', './../x', '././x', '../', 'a/../', './..'],
  ...['__MACOSX/../../x', '.git/../../x', '../.hidden', '../__MACOSX/x'],
];
const ABSOLUTE = ['/', '/x', '/etc/passwd', '//server/share/x', 'file:///etc/passwd'];
const DRIVES = ['C:/x', 'c:x', 'C:\\Windows\\x', 'z:/'];
const BACKSLASHES = ['a\\b', '..\\x', 'a\\..\\..\\x', '\\x', '\\\\server\\share\\x', 'a/..\\../x'];
const CONTROLS = [
  'a\0.html',
  'index.html\0.png',
  'a\nb',
  'a\rb',
  'a\tb',
  'a\u001b[2Jb',
  'a\u007fb',
  'a\u0085b',
];
const EMPTY = ['', 'a//b', 'a///', 'a//', './/x'];
const LONG = ['x'.repeat(501), 'x'.repeat(10_000), `${'a/'.repeat(250)}b`, '🐦'.repeat(501)];

const NOT_UTF8: Record<string, string> = {
  'Latin-1': 'e4f6fc2e68746d6c',
  'a lone continuation byte': '61802e68746d6c',
  'an overlong slash': '2e2ec0af2e2ec0af78',
  'a surrogate': 'eda0802e68746d6c',
  'a cut-off character': '61e282',
  'CP437 without the UTF-8 flag': '84942e68746d6c',
};

const CP437 = Buffer.from('84942e68746d6c', 'hex');

/** An entry in CP437 with this extra field in both headers. */
const beside = (extra: Uint8Array): ForgedEntry => ({ name: CP437, data: 'x', flags: 0, extra });
const named = (path: string | Uint8Array): ForgedEntry => beside(unicodePath(CP437, path));

const UNICODE_PATHS: Record<string, ForgedEntry[]> = {
  'of another name': [beside(unicodePath(Buffer.from('other.html'), 'äö.html'))],
  'of another version': [beside(unicodePath(CP437, 'äö.html', { version: 2 }))],
  'that is empty': [named('')],
  'that is cut off': [beside(unicodePath(CP437, 'äö.html').subarray(0, 7))],
  'that is not UTF-8': [named(CP437)],
  'out of the site': [named('../x')],
  'out of the site, for a name in it': [
    { name: 'a.txt', data: 'x', extra: unicodePath(Buffer.from('a.txt'), 'a/../../x') },
  ],
  absolute: [named('/etc/passwd')],
  'on a drive': [named('C:/x')],
  'with a backslash': [named('..\\x')],
  'with a NUL': [named('a\0.html')],
  'too long': [named('x'.repeat(501))],
  'that is there already': [{ name: 'äö.html', data: 'x' }, named('Äö.html')],
  'of a folder with content': [named('folder/')],
};

const x = (name: string): ForgedEntry => ({ name, data: 'x' });

const CLASHES: Record<string, ForgedEntry[]> = {
  'the same path twice': [x('a.txt'), x('a.txt')],
  'the entry file twice': [x('index.html')],
  'the same path in another case': [x('a/Read.Me'), x('A/read.me')],
  'the same path in another case, beyond ASCII': [x('Äpfel.txt'), x('äpfel.txt')],
  'the same path in NFC and NFD': [x('\u00e4.txt'), x('a\u0308.txt')],
  'the same path in another case and normalisation': [x('\u00c4.txt'), x('a\u0308.txt')],
  'the same path by a compatibility character (Kelvin)': [x('\u212a.txt'), x('k.txt')],
  'the same path with and without ./': [x('a.txt'), x('./a.txt')],
  'a file that is also a folder': [x('a'), x('a/b')],
  'a folder that is also a file': [x('a/b/c'), x('a/b')],
  'a file that is also a folder, in another case': [x('A'), x('a/b')],
  'a file that is also a folder, further up': [x('a'), x('a/b/c/d')],
};

const SPECIAL: Record<string, ForgedEntry> = {
  'a symbolic link': { name: 'link', data: '/etc/passwd', mode: 0o120777, method: 0 },
  'a symbolic link to a folder': { name: 'link/', mode: 0o120777, method: 0 },
  'a symbolic link made on another system': {
    name: 'link',
    data: 'index.html',
    mode: 0o120777,
    central: { madeBy: 0x0014 },
  },
  'a symbolic link among what is skipped': { name: '.link', data: '/etc/passwd', mode: 0o120777 },
  'a character device': { name: 'null', mode: 0o020666 },
  'a block device': { name: 'sda', mode: 0o060660 },
  'a named pipe': { name: 'pipe', mode: 0o010644 },
  'a socket': { name: 'socket', mode: 0o140755 },
  'a whiteout of no known type': { name: 'what', mode: 0o160000 },
  'a folder with content': { name: 'folder/', data: 'content', mode: 0o040755 },
  'a folder by its mode, with content': { name: 'folder', data: 'content', mode: 0o040755 },
  'a file by its mode that is named as a folder': { name: 'folder/', mode: 0o100644 },
};

export const pathCases: ArchiveCase[] = [
  ...OUTSIDE.map((path) => withPath('a path out of the site', path)),
  ...ABSOLUTE.map((path) => withPath('an absolute path', path)),
  ...DRIVES.map((path) => withPath('a drive', path)),
  ...BACKSLASHES.map((path) => withPath('a backslash', path)),
  ...CONTROLS.map((path) => withPath('a control character', path)),
  ...EMPTY.map((path) => withPath('an empty name', path)),
  ...LONG.map((path) => withPath('a path too long', path)),
  ...Object.entries(NOT_UTF8).map(([what, hex]) =>
    withEntries(`a name that is not UTF-8: ${what}`, {
      name: Uint8Array.from(Buffer.from(hex, 'hex')),
      data: 'x',
      flags: what.startsWith('CP437') ? 0 : 0x800,
    }),
  ),
  ...Object.entries(UNICODE_PATHS).map(([what, entries]) =>
    withEntries(`a Unicode Path ${what}`, ...entries),
  ),
  ...Object.entries(CLASHES).map(([what, entries]) => withEntries(what, ...entries)),
  ...Object.entries(SPECIAL).map(([what, entry]) => withEntries(what, entry)),
];
