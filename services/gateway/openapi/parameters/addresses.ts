import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { Parameter } from '../operation.ts';
import { KEY_NAME } from '../text-patterns.ts';
import { inPath, text } from './parts.ts';

/** Parts of addresses. */
export const ADDRESSES = {
  Namespace: inPath('ns', "The item's namespace.", Type.String({ examples: ['public'] })),
  Id: inPath('id', "The item's id.", Type.String({ examples: ['Ab3dE6gH9k'] })),
  Key: inPath(
    'key',
    `The key: 1 to ${LIMITS.kvKeyCharacters} characters without a slash, percent-encoded.`,
    Type.String({ ...KEY_NAME, examples: ['greeting'] }),
  ),
  FilePath: {
    ...inPath('filePath', 'Path of the file within the site, slashes included.', text('assets/site.css')),
    'x-rest-of-path': true,
  },
  Sub: {
    ...inPath(
      'sub',
      'Of a store: the key. Of a site: the path of a file, slashes included.',
      text('assets/site.css'),
    ),
    'x-rest-of-path': true,
  },
  Code: inPath('code', "The item's short code.", Type.String({ examples: ['k3Xq9Za'] })),
  IndexNowKey: inPath(
    'key',
    'The key: 8 to 128 letters, digits and hyphens.',
    Type.String({ pattern: '^[A-Za-z0-9-]{8,128}$', examples: ['example-index-now-key'] }),
  ),
  GalleryPictureName: inPath(
    'name',
    "The picture's name, as a page of the gallery has it.",
    Type.String({ examples: ['abcdefghijklmnop-AbCdEfGhIjKlMnOpQrStUvWxYz0123456.webp'] }),
  ),
  PictureName: inPath(
    'name',
    "The item's id, and `.png` behind it.",
    Type.String({ examples: ['Ab3dE6gH9k.png'] }),
  ),
  ReportId: inPath('id', "The report's id.", Type.String({ examples: ['Q7wErT2yU9'] })),
  OwnerId: inPath(
    'ownerId',
    'The SHA-256 of the owner token, in hex.',
    Type.String({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] }),
  ),
  BlockId: inPath('id', "The entry's id.", Type.String({ examples: ['Q7wErT2yU9'] })),
  ContentHash: inPath(
    'hash',
    'A SHA-256 in hex, or its first 32 digits.',
    Type.String({ examples: ['5d1f0c7b2a9e4386b0c1d2e3f4a59687'] }),
  ),
  ConsoleSection: inPath('section', 'Which part.', Type.String({ examples: ['reports', 'access'] })),
  AssetName: inPath('name', "The file's name.", Type.String({ examples: ['perch.css'] })),
} satisfies Record<string, Parameter>;
