import mime from 'mime';
import { errors } from '../../../../shared/errors.ts';
import { FILE_FAMILIES, type FileFamily } from '../../../../shared/items/content.ts';
import { LIMITS } from '../../../../shared/items/item.ts';

/** How files of an extension are admitted (specification 7.2). */
export interface ExtensionRule {
  family: FileFamily;
  /** The type that a text is served with; `null` where the content decides. */
  textType: string | null;
  /** The highlighter's name of a text's language. */
  language: string | null;
}

const text = (contentType: string, language: string | null): ExtensionRule => ({
  family: 'text',
  textType: `${contentType}; charset=utf-8`,
  language,
});

const binary = (family: FileFamily): ExtensionRule => ({ family, textType: null, language: null });

/** Languages whose files are plain text to browsers, by the highlighter's name; without one, `null`. */
const CODE: ReadonlyArray<[language: string | null, extensions: string]> = [
  ['python', 'py pyi pyw'],
  ['go', 'go'],
  ['rust', 'rs'],
  ['java', 'java'],
  ['kotlin', 'kt kts'],
  ['scala', 'scala'],
  ['groovy', 'groovy gradle'],
  ['c', 'c h'],
  ['cpp', 'cc cpp cxx hpp hh'],
  ['csharp', 'cs'],
  ['fsharp', 'fs fsx'],
  ['vbnet', 'vb'],
  ['objectivec', 'm mm'],
  ['swift', 'swift'],
  ['dart', 'dart'],
  ['javascript', 'jsx cjs'],
  ['typescript', 'ts tsx mts cts'],
  ['xml', 'vue svelte astro'],
  ['xml', 'xsl xsd dtd plist gpx kml'],
  ['scss', 'scss'],
  ['less', 'less'],
  ['php', 'php'],
  ['ruby', 'rb'],
  ['perl', 'pl pm'],
  ['lua', 'lua'],
  ['r', 'r'],
  ['julia', 'jl'],
  ['haskell', 'hs'],
  ['ocaml', 'ml mli'],
  ['elixir', 'ex exs'],
  ['erlang', 'erl hrl'],
  ['clojure', 'clj cljs edn'],
  ['lisp', 'lisp el'],
  ['bash', 'sh bash zsh'],
  ['powershell', 'ps1'],
  ['sql', 'sql'],
  ['graphql', 'graphql gql'],
  ['protobuf', 'proto'],
  ['diff', 'diff patch'],
  ['ini', 'ini cfg conf env'],
  ['properties', 'properties'],
  ['toml', 'toml'],
  ['json', 'jsonc json5 jsonl ndjson geojson ipynb'],
  ['dockerfile', 'dockerfile'],
  ['makefile', 'mk'],
  ['cmake', 'cmake'],
  ['nix', 'nix'],
  ['nginx', 'nginx'],
  ['latex', 'tex'],
  [null, 'bib rst adoc org tf hcl zig nim sol po srt lock log txt'],
];

const codeFiles = (): Array<[string, ExtensionRule]> =>
  CODE.flatMap(([language, extensions]) =>
    extensions
      .split(' ')
      .map((extension): [string, ExtensionRule] => [extension, text('text/plain', language)]),
  );

/** First the texts that browsers show by their own type; then source code, which is sent as text/plain because browsers would download it or mistake it. */
const EXTENSIONS = new Map<string, ExtensionRule>([
  ['html', text('text/html', 'html')],
  ['htm', text('text/html', 'html')],
  ['md', text('text/markdown', 'markdown')],
  ['markdown', text('text/markdown', 'markdown')],
  ['json', text('application/json', 'json')],
  ['css', text('text/css', 'css')],
  ['js', text('text/javascript', 'javascript')],
  ['mjs', text('text/javascript', 'javascript')],
  ['csv', text('text/csv', 'csv')],
  ['tsv', text('text/tab-separated-values', 'tsv')],
  ['xml', text('text/xml', 'xml')],
  ['yaml', text('text/yaml', 'yaml')],
  ['yml', text('text/yaml', 'yaml')],
  ['vtt', text('text/vtt', null)],
  ...codeFiles(),
  ...each('image', ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'svg', 'ico', 'bmp']),
  ...each('audio', ['mp3', 'wav', 'ogg', 'flac', 'm4a', 'aac', 'opus']),
  ...each('video', ['mp4', 'webm', 'mov', 'm4v', 'ogv']),
  ...each('pdf', ['pdf']),
  ...each('archive', ['zip']),
  ...each('font', ['woff', 'woff2', 'ttf', 'otf']),
]);

function each(family: FileFamily, extensions: string[]): Array<[string, ExtensionRule]> {
  return extensions.map((extension) => [extension, binary(family)]);
}

/** The types of files that are admitted, each once. */
export const FILE_TYPES: readonly string[] = [
  ...new Set(
    [...EXTENSIONS].flatMap(
      ([extension, { textType }]) => textType?.split(';', 1) ?? mime.getType(extension) ?? [],
    ),
  ),
];

/** A file's extension in lower case without its dot; a name that only begins with a dot has none. */
export function extensionOf(filename: string): string {
  const dot = filename.lastIndexOf('.');
  return dot <= 0 ? '' : filename.slice(dot + 1).toLowerCase();
}

/** The name as it is, or with that extension behind it where its own is not admitted. */
export function withExtension(filename: string, extension: string): string {
  if (EXTENSIONS.has(extensionOf(filename))) return filename;
  const kept = [...filename].slice(0, LIMITS.filenameCharacters - extension.length - 1);
  return `${kept.join('')}.${extension}`;
}

/** @throws UNSUPPORTED_MEDIA_TYPE for extensions that are not admitted, and for none. */
export function ruleFor(filename: string): ExtensionRule {
  const extension = extensionOf(filename);
  const rule = EXTENSIONS.get(extension);
  if (rule !== undefined) return rule;
  const got =
    extension === ''
      ? 'The file name has no extension'
      : `Files with the extension ".${extension.slice(0, 40)}" are not accepted`;
  throw errors.unsupportedMediaType(`${got}. Send ${admitted()}.`);
}

const FAMILY_NAMES: Record<FileFamily, string> = {
  text: 'text',
  image: 'an image',
  audio: 'audio',
  video: 'video',
  pdf: 'a PDF',
  archive: 'an archive',
  font: 'a font',
};

function admitted(): string {
  const families = FILE_FAMILIES.map((family) => {
    const extensions = [...EXTENSIONS].filter(([, rule]) => rule.family === family);
    return `${FAMILY_NAMES[family]} (${extensions.map(([extension]) => extension).join(', ')})`;
  });
  return `${families.slice(0, -1).join(', ')} or ${families.at(-1)}`;
}

/** Most bytes of a file, by family (specification 7.2). */
export function familyLimit(family: FileFamily): number {
  if (family === 'video') return LIMITS.videoBytes;
  return family === 'audio' ? LIMITS.audioBytes : LIMITS.fileBytes;
}
