import { describe, expect, test } from 'bun:test';
import { zipSync } from 'fflate';
import { expectError } from './support/errors.ts';
import { form } from './support/multipart.ts';
import { sharePerch } from './support/perch.ts';
import {
  archiveOf,
  postArchive,
  postSite,
  publishSite,
  readSite,
  replaceSite,
} from './support/site-client.ts';

const perch = sharePerch();

const PAGE = { 'index.html': '<p>x' };
const ELF = Buffer.concat([Buffer.from('7f454c46020101', 'hex'), Buffer.alloc(57)]);
const WINDOWS = Buffer.concat([Buffer.from('4d5a9000', 'hex'), Buffer.alloc(124)]);

test('a site with a program by its name is refused, with its path', async () => {
  for (const path of ['setup.exe', 'lib/x.DLL', 'app.apk', 'a b/c.jar', 'tool.msi', 'x.deb']) {
    const response = await postArchive(perch, archiveOf({ ...PAGE, [path]: 'only text' }));
    await expectError(response, 415, 'UNSUPPORTED_MEDIA_TYPE', path);
  }
});

describe('a site with a program by its content is refused, with its path,', () => {
  const PROGRAMS: Array<[what: string, content: Uint8Array]> = [
    ['of Linux', ELF],
    ['of Windows', WINDOWS],
    ['of macOS', Buffer.concat([Buffer.from('cffaedfe07000001', 'hex'), Buffer.alloc(24)])],
    ['in an archive', zipSync({ 'readme.txt': Buffer.from('x'), 'bin/tool.exe': WINDOWS })],
    ['as a packed program', zipSync({ 'META-INF/MANIFEST.MF': Buffer.from('x') })],
  ];
  test.each(PROGRAMS)('%s', async (_, content) => {
    for (const path of ['data.bin', 'img/logo.png', 'no-extension'])
      await expectError(
        await postArchive(perch, archiveOf({ ...PAGE, [path]: content })),
        422,
        'CONTENT_REJECTED',
        path,
      );
    const parts = Object.entries({ ...PAGE, 'deep/data': content }).map(([filename, part]) => ({
      name: 'files',
      filename,
      content: part,
    }));
    await expectError(await postSite(perch, form(parts)), 422, 'CONTENT_REJECTED', 'deep/data');
  });
});

test('scripts are text, and what websites are made of comes in', async () => {
  const files = {
    ...PAGE,
    'install.sh': '#!/bin/sh\necho hello\n',
    'run.py': '#!/usr/bin/env python3\n',
    'setup.ps1': 'Write-Host x',
    'MZ.txt': 'MZ is no program',
    'app.wasm': Buffer.from('0061736d01000000', 'hex'),
    'docs.zip': zipSync({ 'a.txt': Buffer.from('text') }),
    'data.bin': Buffer.from([0, 1, 2, 3]),
  };
  const site = await publishSite(perch, files);
  for (const [path, content] of Object.entries(files))
    expect(Buffer.from(await (await readSite(perch, site, path)).bytes())).toEqual(Buffer.from(content));
});

test('a replacement with a program leaves the old site, and nothing behind', async () => {
  const site = await publishSite(perch, PAGE);
  await expectError(
    await replaceSite(perch, site, archiveOf({ ...PAGE, 'a.exe': 'x' })),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    'a.exe',
  );
  await expectError(
    await replaceSite(perch, site, archiveOf({ ...PAGE, a: ELF })),
    422,
    'CONTENT_REJECTED',
    'a',
  );
  for (const client of perch.clients) expect(await (await readSite(client, site, '')).text()).toBe('<p>x');
});
