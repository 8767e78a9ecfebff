import { describe, expect, test } from 'bun:test';
import { zipSync } from 'fflate';
import { isProgramName, programIn } from '../../../services/gateway/kinds/sites/programs.ts';

test.each(['a.exe', 'A.EXE', 'a/b.dll', 'x.tar.deb', 'lib.so', 'App.AppImage'])(
  '%s is the name of a program',
  (path) => {
    expect(isProgramName(path)).toBe(true);
  },
);

test.each(['exe', '.exe/a', 'a.exe/readme', 'a.exe.txt', 'a.js', 'a.wasm', 'a.sh', 'a', ''])(
  '%s is none',
  (path) => {
    expect(isProgramName(path)).toBe(false);
  },
);

const hex = (text: string, zeros = 64) => Buffer.concat([Buffer.from(text, 'hex'), Buffer.alloc(zeros)]);

function tar(name: string): Uint8Array {
  const block = Buffer.alloc(1_024);
  block.write(name, 0);
  block.write('00000000001', 124);
  block.write('ustar', 257);
  return Buffer.concat([block, tarEntryOf('second.exe')]);
}

/** A ZIP of 98 bytes whose ZIP64 record names so many entries. */
function zipOfMany(entries: number): Uint8Array {
  const zip = Buffer.alloc(98);
  zip.write('PK\u0006\u0006', 0, 'latin1');
  zip.writeUInt32LE(entries, 32);
  zip.writeUInt32LE(98, 48);
  zip.write('PK\u0006\u0007', 56, 'latin1');
  zip.write('PK\u0005\u0006', 76, 'latin1');
  zip.writeUInt16LE(1, 84);
  zip.writeUInt16LE(1, 86);
  return zip;
}

function tarEntryOf(name: string): Uint8Array {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write('00000000000', 124);
  block.write('ustar', 257);
  return block;
}

describe('content', () => {
  test.each<[what: string, bytes: Uint8Array]>([
    ['ELF', hex('7f454c46')],
    ['Windows', hex('4d5a')],
    ['Mach-O', hex('feedfacf')],
    ['Mach-O for several processors, or Java', hex('cafebabe')],
    ['Android', hex('6465780a30333500')],
    ['a Debian package', hex('213c617263683e0a64656269616e2d62696e617279')],
    ['an RPM', hex('edabeedb')],
    ['a macOS installer', hex('78617221')],
    [
      'a Windows installer',
      Buffer.concat([hex('d0cf11e0a1b11ae1', 600), hex('84100c0000000000c000000000000046')]),
    ],
    ['a disk image', Buffer.concat([Buffer.alloc(600, 1), Buffer.from('koly'), Buffer.alloc(508)])],
    ['an Android package', zipSync({ 'AndroidManifest.xml': Buffer.from('x') })],
    ['a ZIP with a library in it', zipSync({ 'a/b.so': Buffer.from('x') })],
    ['a tar archive with a program in it', tar('first.txt')],
  ])('is a program: %s', (_, bytes) => {
    expect(programIn(bytes)).not.toBe(null);
  });

  test.each<[what: string, bytes: Uint8Array]>([
    ['nothing', new Uint8Array()],
    ['text that begins with MZ', Buffer.from('MZ text, and more of it')],
    ['a script', Buffer.from('#!/bin/sh\n')],
    ['WebAssembly', hex('0061736d01000000')],
    ['a document of Office', hex('d0cf11e0a1b11ae1', 600)],
    ['a ZIP of text', zipSync({ 'a.txt': Buffer.from('x') })],
    ['a ZIP that names more entries than it has bytes', zipOfMany(0xffff_ffff)],
    ['a damaged ZIP', Buffer.from('PK\u0003\u0004 and nothing behind it')],
    ['a damaged tar archive', Buffer.concat([tarEntryOf('a'), Buffer.alloc(5)])],
  ])('is none: %s', (_, bytes) => {
    expect(programIn(bytes)).toBe(null);
  });
});
