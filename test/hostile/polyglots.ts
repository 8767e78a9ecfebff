import { zipSync } from 'fflate';
import { bitmap, box, brands, bytes, gif, icon, jpeg, pdf, png, riff, riffChunk, zeros } from './bytes.ts';
import { accepted, type HostileFile, HTML, rejected, SCRIPT } from './hostile-file.ts';

const archive = zipSync({ 'index.html': bytes(HTML) });
const webp = riffChunk('VP8L', bytes([0x2f, 0, 0, 0, 0, 0x07, 0x10, 0x11, 0x11, 0x88, 0x88, 0x08]));
const scriptBox = box('udta', box('meta', zeros(4), HTML));

/** Files that are two things at once: they are served as the one that cannot run. */
export const POLYGLOTS: HostileFile[] = [
  accepted('GIF with HTML in its comment', 'a.gif', gif({ comment: HTML }), 'image/gif'),
  accepted('GIF with HTML behind its end', 'b.gif', gif({ tail: HTML }), 'image/gif'),
  accepted('GIF that is a script', 'c.gif', bytes(`GIF89a=0;${SCRIPT}`), 'image/gif'),
  accepted('script that is a GIF', 'd.js', bytes(`GIF89a=0;${SCRIPT}`), 'image/gif'),
  accepted('page that is a GIF', 'e.html', bytes(`GIF89a${HTML}`), 'image/gif'),
  accepted('GIF that is a ZIP', 'f.gif', gif({ tail: archive }), 'image/gif'),
  accepted('ZIP named as the GIF before it', 'g.zip', gif({ tail: archive }), 'image/gif'),
  accepted('PDF with HTML behind its end', 'h.pdf', pdf({ tail: HTML }), 'application/pdf'),
  accepted('PDF with HTML behind its first line', 'i.pdf', bytes('%PDF-1.7\n', HTML), 'application/pdf'),
  accepted('page that is a PDF', 'j.html', bytes('%PDF-1.7\n', HTML), 'application/pdf'),
  accepted('text that is a PDF', 'k.txt', pdf({ tail: HTML }), 'application/pdf'),
  accepted(
    'PDF with a script that opens with it',
    'l.pdf',
    pdf({
      openAction: `/OpenAction<</S/JavaScript/JS(app.alert\\('${'x'.repeat(9)}'\\);${SCRIPT.replace(/[()]/g, '\\$&')})>>`,
    }),
    'application/pdf',
  ),
  accepted(
    'PDF with a link that is a script',
    'm.pdf',
    pdf({ openAction: `/OpenAction<</S/URI/URI(javascript:alert\\(1\\))>>` }),
    'application/pdf',
  ),
  rejected('PDF behind HTML', 'n.pdf', bytes(HTML, pdf())),
  accepted('PNG with HTML in a chunk', 'o.png', png({ comment: HTML }), 'image/png'),
  accepted('PNG with HTML behind its end', 'p.png', png({ tail: HTML }), 'image/png'),
  accepted('PNG with a ZIP behind its end', 'q.png', png({ tail: archive }), 'image/png'),
  accepted('JPEG with HTML in a comment', 'r.jpg', jpeg({ comment: HTML }), 'image/jpeg'),
  accepted('JPEG with HTML behind its end', 's.jpeg', jpeg({ tail: HTML }), 'image/jpeg'),
  accepted(
    'JPEG with PHP in a comment',
    't.jpg',
    jpeg({ comment: '<?php system($_GET["c"]); ?>' }),
    'image/jpeg',
  ),
  rejected('JPEG of three bytes before HTML', 'u.jpg', bytes([0xff, 0xd8, 0xff], HTML)),
  accepted('bitmap with HTML behind its end', 'v.bmp', bitmap(HTML), 'image/bmp'),
  rejected('bitmap of two letters before HTML', 'w.bmp', bytes('BM', HTML)),
  accepted('icon with HTML behind its end', 'x.ico', icon(HTML), 'image/x-icon'),
  rejected('icon of four bytes before HTML', 'y.ico', bytes([0, 0, 1, 0], HTML)),
  rejected('cursor named as an icon', 'cursor.ico', bytes([0, 0, 2, 0], icon().subarray(4))),
  accepted(
    'WebP with a script in its metadata',
    'z.webp',
    riff('WEBP', webp, riffChunk('XMP ', bytes(HTML))),
    'image/webp',
  ),
  rejected('WebP of its first bytes before HTML', 'a.webp', bytes('RIFF', zeros(4), 'WEBP', HTML)),
  accepted(
    'AVIF with a script in its metadata',
    'b.avif',
    bytes(brands('avif', 'mif1'), scriptBox),
    'image/avif',
  ),
  accepted(
    'AVIF of a general brand',
    'c.avif',
    bytes(brands('mif1', 'miaf', 'avif'), scriptBox),
    'image/avif',
  ),
  rejected('HEIC named as AVIF', 'd.avif', bytes(brands('mif1', 'heic'), scriptBox)),
  accepted(
    'MP4 with a script in its metadata',
    'e.mp4',
    bytes(brands('isom', 'mp42'), scriptBox, box('mdat', HTML)),
    'video/mp4',
  ),
  accepted('MOV with HTML for film', 'f.mov', bytes(brands('qt  '), box('mdat', HTML)), 'video/quicktime'),
  rejected('HTML whose comment reads like an MP4', 'g.mp4', bytes('<!--ftypisom-->', HTML)),
  rejected('HTML whose comment reads like a MOV', 'h.mov', bytes('<!--moov-->', HTML)),
  accepted('WAV with HTML for sound', 'i.wav', riff('WAVE', riffChunk('data', bytes(HTML))), 'audio/wav'),
  rejected('MP3 of a tag before HTML', 'j.mp3', bytes('ID3', [4, 0, 0, 0, 0, 0, 0], HTML)),
  rejected('MP3 of a tag longer than the file', 'k.mp3', bytes('ID3', [4, 0, 0, 9, 9, 9, 9], HTML)),
  rejected('MP3 of two bytes before HTML', 'l.mp3', bytes([0xff, 0xfb], HTML)),
  accepted('MP3 of a frame header before HTML', 'm.mp3', bytes([0xff, 0xfb, 0x90, 0], HTML), 'audio/mpeg'),
  rejected('AAC of two bytes before HTML', 'n.aac', bytes([0xff, 0xf1], HTML)),
];
