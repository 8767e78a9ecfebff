import { unzipSync } from 'fflate';
import { MIN_HEADER_BYTES } from '../../archives/central-directory.ts';

/** Extensions of programs and installers. Scripts are text, and WebAssembly is a part of websites. */
const EXTENSIONS = new Set(
  [
    'exe dll scr cpl ocx pif lnk msi msp msix msixbundle appx appxbundle',
    'so dylib elf ko deb rpm appimage flatpak snap dmg pkg ipa',
    'apk aab xapk dex jar war ear class crx xpi',
  ].flatMap((extensions) => extensions.split(' ')),
);

/** How programs and installers begin; those with a name of their own below need more than that. */
const SIGNATURES: ReadonlyArray<[signature: string, what: string]> = [
  ['7f454c46', 'an ELF program'],
  ['feedface', 'a Mach-O program'],
  ['feedfacf', 'a Mach-O program'],
  ['cefaedfe', 'a Mach-O program'],
  ['cffaedfe', 'a Mach-O program'],
  ['cafebabe', 'a Mach-O program or a Java class'],
  ['cafebabf', 'a Mach-O program'],
  ['bebafeca', 'a Mach-O program'],
  ['bfbafeca', 'a Mach-O program'],
  ['6465780a30', 'an Android program'],
  ['213c617263683e0a64656269616e2d62696e617279', 'a Debian package'],
  ['edabeedb', 'an RPM package'],
  ['78617221', 'a macOS installer'],
  ['43723234', 'a browser extension'],
  ['4c0000000114020000000000c000000000000046', 'a Windows shortcut'],
];

/** An OLE compound file: an installer of Windows, or a document. */
const COMPOUND = 'd0cf11e0a1b11ae1';
/** The class of the root of a Windows installer, a transform or a patch ([MS-CFB], 2.6), without its first byte. */
const INSTALLER_CLASS = Buffer.from('100c0000000000c000000000000046', 'hex');
const INSTALLER_KINDS = [0x82, 0x84, 0x86];

/** Names in a ZIP that only packed programs have: of Java, Android, iOS and Windows. */
const PACKED_PROGRAM =
  /^(?:META-INF\/MANIFEST\.MF|AndroidManifest\.xml|Payload\/[^/]+\.app\/.*|AppxManifest\.xml)$/i;

/** Whether a file's name is that of a program or an installer. */
export function isProgramName(path: string): boolean {
  const dot = path.lastIndexOf('.');
  return dot > path.lastIndexOf('/') && EXTENSIONS.has(path.slice(dot + 1).toLowerCase());
}

/** The program that bytes are, in words; `null` when they are none. A script with an interpreter line is text. */
export function programIn(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, 24)).toString('hex');
  const known = SIGNATURES.find(([signature]) => head.startsWith(signature));
  if (known !== undefined) return known[1];
  // "MZ" may begin a text, too; the header of a program has zeros.
  if (head.startsWith('4d5a') && bytes.subarray(0, 64).includes(0)) return 'a Windows program';
  if (head.startsWith(COMPOUND) && isInstaller(bytes)) return 'a Windows installer';
  if (isDiskImage(bytes)) return 'a macOS disk image';
  const packed = namesIn(bytes, head).find((name) => isProgramName(name) || PACKED_PROGRAM.test(name));
  return packed === undefined ? null : `an archive with a program in it ("${packed.slice(0, 200)}")`;
}

function isInstaller(bytes: Uint8Array): boolean {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(INSTALLER_CLASS);
  return at > 0 && INSTALLER_KINDS.includes(bytes[at - 1] ?? 0);
}

/** A disk image ends with a block of 512 bytes that begins with "koly". */
const isDiskImage = (bytes: Uint8Array): boolean =>
  bytes.length >= 512 && Buffer.from(bytes.subarray(-512, -508)).toString('latin1') === 'koly';

/** The names in a ZIP or a tar archive; none for anything else, and for an archive that is damaged. */
function namesIn(bytes: Uint8Array, head: string): string[] {
  if (head.startsWith('504b')) return namesInZip(bytes);
  const isTar = Buffer.from(bytes.subarray(257, 262)).toString('latin1') === 'ustar';
  return isTar ? namesInTar(bytes) : [];
}

function namesInZip(bytes: Uint8Array): string[] {
  const names: string[] = [];
  const note = ({ name }: { name: string }): boolean => {
    // fflate believes the number of entries that the archive names, and reads on behind its end.
    if (names.push(name) > bytes.length / MIN_HEADER_BYTES) throw new Error('more entries than bytes');
    return false;
  };
  try {
    unzipSync(bytes, { filter: note });
  } catch {
    // An archive that cannot be opened here runs nowhere.
  }
  return names;
}

const TAR_BLOCK = 512;

function namesInTar(bytes: Uint8Array): string[] {
  const names: string[] = [];
  for (let at = 0; at + TAR_BLOCK <= bytes.length; ) {
    const field = (from: number, length: number): string =>
      Buffer.from(bytes.subarray(at + from, at + from + length))
        .toString('latin1')
        .split('\0', 1)[0] ?? '';
    const name = field(0, 100);
    const size = Number.parseInt(field(124, 12), 8);
    if (name === '' || !Number.isSafeInteger(size) || size < 0) break;
    names.push(name);
    at += TAR_BLOCK + Math.ceil(size / TAR_BLOCK) * TAR_BLOCK;
  }
  return names;
}
