import { bytes, png } from './bytes.ts';
import { accepted, type HostileFile, HTML, rejected, unsupported } from './hostile-file.ts';

const refused = (name: string, filename: string): HostileFile => ({
  name,
  filename,
  bytes: png(),
  expected: { status: 400 },
});

/** Names that say something else than they are. */
export const NAMES: HostileFile[] = [
  rejected('two extensions, HTML inside', 'page.html.png', bytes(HTML)),
  accepted('two extensions, PNG inside', 'page.html.png', png(), 'image/png'),
  accepted('two extensions, the last of a page', 'image.png.html', bytes(HTML), 'text/html; charset=utf-8'),
  unsupported('two extensions, the last of a program', 'image.png.exe', png()),
  unsupported('dot at the end', 'image.png.', png()),
  unsupported('program with a dot at the end', 'setup.exe.', png()),
  accepted('space at the end', 'image.png ', png(), 'image/png'),
  unsupported('space before the dot at the end', 'image.png .', png()),
  unsupported('space in the extension', 'image.p ng', png()),
  unsupported('no extension', 'image', png()),
  unsupported('nothing before the dot', '.png', png()),
  unsupported('settings of a server', '.htaccess', bytes('AddType application/x-httpd-php .png')),
  accepted('extension in capitals', 'IMAGE.PNG', png(), 'image/png'),
  unsupported('extension in letters that look like others', 'image.рng', png()),
  unsupported('extension with a dotted capital I', 'image.GİF', png()),
  unsupported('name of a property of every object', 'image.constructor', png()),
  refused('mark that turns the direction', 'annual\u202Egnp.html'),
  refused('mark that isolates a direction', 'annual\u2066gnp.html'),
  refused('very long', `${'x'.repeat(300)}.png`),
  refused('NUL before the extension', 'page.html\0.png'),
  refused('line break', 'image\r\nX-Evil: 1.png'),
  refused('half of a surrogate pair', 'image\ud800.png'),
  refused('two dots', '..'),
  accepted('path up', '../../etc/image.png', png(), 'image/png'),
  accepted('path of Windows', 'C:\\fakepath\\image.png', png(), 'image/png'),
  unsupported('path whose folder has the extension', 'folder.png/image', png()),
  accepted('stream of Windows', 'setup.exe:image.png', png(), 'image/png'),
  accepted('quotes and per cent signs', '"%22;\'image.png', png(), 'image/png'),
  accepted('markup', '<img src=x onerror=alert(1)>.png', png(), 'image/png'),
  accepted('other scripts', 'снимок 写真 صورة 🐦.png', png(), 'image/png'),
  accepted('200 characters outside of the basic plane', `${'🐦'.repeat(196)}.png`, png(), 'image/png'),
];
