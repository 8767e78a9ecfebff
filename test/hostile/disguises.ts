import { gzipSync, zipSync } from 'fflate';
import { bytes, gif, png, utf16, zeros } from './bytes.ts';
import { accepted, type HostileFile, HTML, rejected, SCRIPT, unsupported } from './hostile-file.ts';

const html = bytes(HTML);
const zip = (entries: Record<string, string>): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(entries).map(([name, text]) => [name, bytes(text)])), {
    level: 0,
  });

const CONTENT_TYPES =
  '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';

/** HTML under the name of something else: text stays what its name says, and nothing else is taken for HTML. */
const PAGES: HostileFile[] = [
  ...[
    'png',
    'jpg',
    'gif',
    'webp',
    'avif',
    'svg',
    'ico',
    'bmp',
    'mp3',
    'ogg',
    'mp4',
    'webm',
    'pdf',
    'zip',
    'woff2',
    'ttf',
  ].map((extension) => rejected(`HTML named .${extension}`, `page.${extension}`, html)),
  ...Object.entries({
    html: 'text/html',
    txt: 'text/plain',
    md: 'text/markdown',
    json: 'application/json',
    css: 'text/css',
    js: 'text/javascript',
    mjs: 'text/javascript',
    ts: 'text/plain',
    csv: 'text/csv',
    log: 'text/plain',
    xml: 'text/xml',
    yaml: 'text/yaml',
  }).map(([extension, type]) =>
    accepted(`HTML named .${extension}`, `page.${extension}`, html, `${type}; charset=utf-8`),
  ),
  accepted(
    'HTML behind a byte order mark',
    'mark.txt',
    bytes([0xef, 0xbb, 0xbf], html),
    'text/plain; charset=utf-8',
  ),
  accepted(
    'HTML behind two byte order marks',
    'marks.txt',
    bytes('\uFEFF\uFEFF', html),
    'text/plain; charset=utf-8',
  ),
  accepted(
    'HTML as UTF-7',
    'seven.html',
    bytes('+ADw-script+AD4-alert(1)+ADw-/script+AD4-'),
    'text/html; charset=utf-8',
  ),
  accepted(
    'HTML with an escape sequence of ISO-2022-JP',
    'jp.txt',
    bytes('\x1b$B', html),
    'text/plain; charset=utf-8',
  ),
  rejected('HTML as UTF-16', 'sixteen.html', utf16(HTML)),
  rejected('HTML as UTF-16 named .txt', 'sixteen.txt', utf16(HTML)),
  rejected('HTML as UTF-16 named .mp3', 'sixteen.mp3', utf16(HTML)),
  rejected('HTML behind NULs', 'nul.txt', bytes(zeros(16), html)),
  rejected('HTML with a NUL inside a tag', 'nul.html', bytes('<scr\0ipt>', html)),
  rejected('HTML behind invalid UTF-8', 'latin.txt', bytes([0xe9], html)),
  rejected('playlist named .mp4', 'list.mp4', bytes('#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1/\n')),
  accepted(
    'web archive named .html',
    'archive.html',
    bytes(
      'MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary="b"\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n',
      html,
      '\r\n--b--',
    ),
    'text/html; charset=utf-8',
  ),
  unsupported('web archive', 'archive.mht', html),
  unsupported('HTML application', 'app.hta', html),
  unsupported('XHTML page', 'page.xhtml', html),
  unsupported('HTML for servers', 'page.shtml', html),
];

/** Other content under the name of something admitted. */
const CONTENT: HostileFile[] = [
  accepted('ZIP named .jpg', 'holiday.jpg', zip({ 'a.txt': 'a' }), 'application/zip'),
  accepted('ZIP named .html', 'page.html', zip({ 'a.txt': 'a' }), 'application/zip'),
  accepted('GIF named .png', 'image.png', gif(), 'image/gif'),
  accepted('PNG named .mp4', 'film.mp4', png(), 'image/png'),
  accepted('PNG named .txt', 'notes.txt', png(), 'image/png'),
  rejected(
    'JAR named .zip',
    'jar.zip',
    zip({ 'META-INF/MANIFEST.MF': 'Manifest-Version: 1.0', 'A.class': 'x' }),
  ),
  rejected('APK named .zip', 'apk.zip', zip({ 'AndroidManifest.xml': 'x', 'classes.dex': 'dex\n035\0' })),
  rejected(
    'DOCX named .zip',
    'docx.zip',
    zip({ '[Content_Types].xml': CONTENT_TYPES, 'word/document.xml': '<x/>' }),
  ),
  rejected('EPUB named .zip', 'epub.zip', zip({ mimetype: 'application/epub+zip', 'a.xhtml': HTML })),
  rejected('TAR named .zip', 'tar.zip', bytes('page.html', zeros(248), 'ustar\0' + '00', zeros(300), html)),
  rejected('TAR named .txt', 'tar.txt', bytes('page.html', zeros(248), 'ustar\0' + '00', zeros(300), html)),
  rejected('GZIP named .zip', 'gz.zip', gzipSync(html)),
  rejected('compressed SVG', 'gz.svg', gzipSync(bytes('<svg xmlns="http://www.w3.org/2000/svg"/>'))),
  rejected('7z named .zip', '7z.zip', bytes([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4], zeros(24))),
  rejected('RAR named .zip', 'rar.zip', bytes('Rar!', [0x1a, 7, 1, 0], zeros(24))),
  rejected('disk image named .zip', 'iso.zip', bytes(zeros(32_768), [1], 'CD001', zeros(100))),
  rejected(
    'shortcut named .txt',
    'lnk.txt',
    bytes([0x4c, 0, 0, 0, 1, 0x14, 2, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46], zeros(60)),
  ),
  rejected(
    'Windows installer named .png',
    'msi.png',
    bytes([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1], zeros(600)),
  ),
  rejected('RTF named .txt', 'rtf.txt', bytes('{\\rtf1{\\object\\objdata 0105}}')),
  rejected('PostScript named .txt', 'ps.txt', bytes('%!PS-Adobe-3.0\n(%pipe%id) (w) file')),
  rejected('Flash named .png', 'swf.png', bytes('CWS', [10], zeros(40))),
  rejected(
    'Matroska film named .webm',
    'mkv.webm',
    bytes([0x1a, 0x45, 0xdf, 0xa3, 0x8b, 0x42, 0x82, 0x88], 'matroska'),
  ),
  rejected('TrueType font of five bytes before HTML', 'forged.ttf', bytes([0, 1, 0, 0, 0], html)),
  rejected('OpenType font of five bytes before HTML', 'forged.otf', bytes('OTTO\0', html)),
  rejected('WOFF font of eight bytes before HTML', 'forged.woff', bytes('wOFF', [0, 1, 0, 0], html)),
  rejected(
    'WOFF2 font with HTML behind its end',
    'tail.woff2',
    bytes('wOF2', [0, 1, 0, 0, 0, 0, 0, 60], zeros(48), html),
  ),
  accepted('empty text', 'empty.txt', zeros(0), 'text/plain; charset=utf-8'),
  accepted('empty page', 'empty.html', zeros(0), 'text/html; charset=utf-8'),
  rejected('empty PNG', 'empty.png', zeros(0)),
  rejected('empty SVG', 'empty.svg', zeros(0)),
  rejected('empty ZIP name', 'empty.zip', zeros(0)),
  accepted('ZIP without entries', 'none.zip', bytes('PK', [5, 6], zeros(18)), 'application/zip'),
  accepted(
    'text that begins like a bitmap',
    'cars.txt',
    bytes('BMW builds cars.'),
    'text/plain; charset=utf-8',
  ),
  accepted(
    'text that begins like a program',
    'mz.txt',
    bytes('MZ is a signature.'),
    'text/plain; charset=utf-8',
  ),
  accepted(
    'script that begins like Flash',
    'cws.js',
    bytes(`CWS=0;${SCRIPT}`),
    'text/javascript; charset=utf-8',
  ),
];

export const DISGUISES: HostileFile[] = [...PAGES, ...CONTENT];
