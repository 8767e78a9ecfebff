import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../../../shared/items/item.ts';
import { bytes } from '../../openapi/answers.ts';
import { UPLOADED_FILE } from '../../openapi/form-fields.ts';
import type { ExampleBody, MediaType } from '../../openapi/operation.ts';
import { SITE_FILES, SITE_ZIP_BASE64 } from '../../openapi/samples.ts';

export const SITE_SAMPLE = { entryFile: 'index.html', fileCount: 2, totalSizeBytes: 120 };

const PARTS = {
  archive: Type.Optional(UPLOADED_FILE),
  file: Type.Optional(UPLOADED_FILE),
  files: Type.Optional(Type.Array(UPLOADED_FILE, { maxItems: LIMITS.siteFiles, examples: [[]] })),
  paths: Type.Optional(
    Type.Array(Type.String({ maxLength: LIMITS.sitePathCharacters }), {
      description: "The path of each of `files`, in their order. When omitted, the parts' filenames are.",
      examples: [[]],
    }),
  ),
};

/** The request body of a create or a replacement. */
export const uploadBody = (fields: object): Record<string, MediaType> => ({
  'multipart/form-data': {
    schema: Type.Object(
      { ...PARTS, ...fields },
      {
        description: 'A ZIP as `archive` or `file`, or the `files`.',
        oneOf: ['archive', 'file', 'files'].map((name) => ({ required: [name] })),
      },
    ),
    examples: {
      archive: { summary: 'A ZIP', value: { archive: SITE_ZIP_BASE64 } },
      files: {
        summary: 'A folder',
        value: { files: SITE_FILES.map(({ value }) => value), paths: SITE_FILES.map(({ path }) => path) },
      },
    },
  },
  ...bytes('application/zip', 'A ZIP, here as base64', SITE_ZIP_BASE64),
});

export const zipRequest: ExampleBody = { type: 'application/zip', base64: SITE_ZIP_BASE64 };
export const formRequest: ExampleBody = {
  type: 'multipart/form-data',
  parts: [{ name: 'archive', filename: 'site.zip', type: 'application/zip', base64: SITE_ZIP_BASE64 }],
};
export const folderRequest: ExampleBody = {
  type: 'multipart/form-data',
  parts: SITE_FILES.flatMap(({ path, type, value }) => [
    { name: 'files', filename: path.split('/').at(-1) ?? path, type, value },
    { name: 'paths', value: path },
  ]),
};

export const ARCHIVE_RULES =
  'Up to 1000 files of up to 5 MB each. Paths are relative and normalised; `..`, absolute paths, backslashes, symbolic links and names that differ in case only are refused; `__MACOSX/` and dotfiles are left out. A single top folder is stripped.';
