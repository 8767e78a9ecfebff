import { zipSync } from 'fflate';
import { bytes, uint32, uint32LittleEndian, zeros } from './bytes.ts';
import { accepted, type HostileFile, rejected, unsupported } from './hostile-file.ts';

const windowsProgram = bytes('MZ', zeros(58), uint32LittleEndian(64), 'PE\0\0', [0x64, 0x86], zeros(200));

/** Programs by the extension they have by themselves. */
const PROGRAMS: ReadonlyArray<[name: string, extension: string, content: Uint8Array]> = [
  ['ELF of 32 bits', 'so', bytes([0x7f], 'ELF', [1, 1, 1], zeros(45))],
  ['ELF of 64 bits', 'elf', bytes([0x7f], 'ELF', [2, 1, 1], zeros(57))],
  ['Windows program', 'exe', windowsProgram],
  ['Mach-O of 32 bits', 'macho', bytes(uint32(0xfeedface), zeros(28))],
  ['Mach-O of 64 bits', 'dylib', bytes(uint32LittleEndian(0xfeedfacf), zeros(28))],
  ['universal Mach-O', 'bundle', bytes(uint32(0xcafebabe), uint32(2), zeros(40))],
  ['universal Mach-O of 64 bits', 'o', bytes(uint32(0xcafebabf), uint32(2), zeros(64))],
  ['universal Mach-O of 40 parts', 'app', bytes(uint32(0xcafebabe), uint32(40), zeros(40))],
  ['Java class', 'class', bytes(uint32(0xcafebabe), [0, 0, 0, 61], zeros(40))],
  ['WebAssembly', 'wasm', bytes('\0asm', [1, 0, 0, 0])],
  ['Android program', 'dex', bytes('dex\n035\0', zeros(100))],
];

/** Scripts by their extension that systems run when they are opened. */
const SCRIPTS: ReadonlyArray<[extension: string, content: string]> = [
  ['bat', '@echo off\r\n'],
  ['cmd', '@echo off\r\n'],
  ['vbs', 'CreateObject("WScript.Shell")'],
  ['cgi', '#!/usr/bin/perl\n'],
  ['jsp', '<% Runtime.getRuntime().exec("id"); %>'],
  ['desktop', '[Desktop Entry]\nExec=sh\n'],
  ['url', '[InternetShortcut]\nURL=file:///c:/\n'],
];

/** Scripts by their extension that systems show as text when they are opened: code like any other. */
const CODE: ReadonlyArray<[extension: string, content: string]> = [
  ['sh', '#!/bin/sh\nrm -rf ~\n'],
  ['php', '<?php system($_GET["c"]);'],
  ['py', '#!/usr/bin/env python3\nimport os\n'],
  ['ps1', 'Invoke-Expression $x'],
  ['vue', '<script>alert(1)</script>'],
  ['xsl', '<xsl:stylesheet xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>'],
];

const SHEBANG = '#!/bin/sh\nrm -rf ~\n';

/** Programs and scripts: no program comes in under any name, and a script only as a text. */
export const PROGRAM_FILES: HostileFile[] = [
  ...PROGRAMS.flatMap(([name, extension, content]) => [
    unsupported(name, `program.${extension}`, content),
    ...['png', 'txt', 'zip', 'mp4', 'pdf', 'html'].map((other) =>
      rejected(`${name} named .${other}`, `program.${other}`, content),
    ),
  ]),
  ...SCRIPTS.map(([extension, content]) =>
    unsupported(`script .${extension}`, `run.${extension}`, bytes(content)),
  ),
  ...CODE.map(([extension, content]) =>
    accepted(`code .${extension}`, `run.${extension}`, bytes(content), 'text/plain; charset=utf-8'),
  ),
  accepted('shell script named .txt', 'run.txt', bytes(SHEBANG), 'text/plain; charset=utf-8'),
  accepted('script for Node', 'cli.js', bytes('#!/usr/bin/env node\n'), 'text/javascript; charset=utf-8'),
  accepted(
    'script for Node behind a byte order mark',
    'cli.mjs',
    bytes('\uFEFF#!/usr/bin/env node\n'),
    'text/javascript; charset=utf-8',
  ),
  accepted('PHP named .txt', 'php.txt', bytes('<?php system("id");'), 'text/plain; charset=utf-8'),
  ...['png', 'mp3', 'pdf', 'zip', 'ttf', 'svg'].map((extension) =>
    rejected(`shell script named .${extension}`, `run.${extension}`, bytes(SHEBANG)),
  ),
  rejected('AMR sound, which begins like a script, named .mp3', 'amr.mp3', bytes('#!AMR\n', zeros(20))),
  rejected('ZIP that is a Windows program', 'setup.zip', bytes(windowsProgram, zipSync({ a: bytes('a') }))),
];
