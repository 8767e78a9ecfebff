import { type Static, type TObject, Type } from '@sinclair/typebox';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { asCreator, asOwner, creation, defineTool, ITEM, OWNER, type Tool, takes } from './tool.ts';
import { extended, publishedAs, READABLE_BY, resultOf, type Schemas, wholeSchema } from './tool-results.ts';
import { wellFormed } from './well-formed.ts';

/** A file's bytes, in one of two ways. */
const BYTES = {
  text: Type.Optional(Type.String({ description: 'The content of a text file.' })),
  base64: Type.Optional(Type.String({ description: 'The content of any other file, in base64.' })),
};

const FILES = Type.Array(
  takes({
    path: Type.String({ description: 'Relative to the site, as index.html or assets/site.css.' }),
    ...BYTES,
  }),
  { minItems: 1, maxItems: LIMITS.siteFiles, description: 'All files of the site, with an index.html.' },
);

const ENTRY = {
  entry: Type.Optional(Type.String({ description: 'The file that the address itself shows; index.html.' })),
};

export const fileTools = (schemas: Schemas): Tool[] => [
  defineTool({
    name: 'publish_file',
    title: 'Publish a file',
    description:
      'Puts one file on the web: a picture, PDF, sound, video, font, ZIP or text, up to 5 MB. The extension of `filename` and the content have to agree. Executables are refused. For a page to read use publish_html, for several files publish_site. Keep `ownerToken`.',
    effect: 'creates',
    operations: ['uploadFile', 'randomNamespace'],
    input: takes({
      filename: Type.String({ description: 'With its extension, as chart.png.' }),
      ...BYTES,
      ...creation('the filename'),
    }),
    output: extended(wholeSchema(schemas, 'FileCreated'), READABLE_BY),
    async run(call, { filename, ...given }) {
      const bytes = bytesOf(given, '');
      const create = await asCreator(call, given);
      const context = call.request({ ...create, query: { ...create.query, filename } });
      return await publishedAs(call.operations.uploadFile(context, { bytes, filename }));
    },
  }),
  defineTool({
    name: 'publish_site',
    title: 'Publish a site',
    description:
      'Puts a website of several files on the web under one address. Links between the files have to be relative. Keep `ownerToken`: republish_site needs it.',
    effect: 'creates',
    operations: ['publishSite', 'randomNamespace'],
    input: takes({ files: FILES, ...ENTRY, ...creation('taken from the content') }),
    output: extended(wholeSchema(schemas, 'SiteCreated'), READABLE_BY),
    async run(call, { files, entry, ...given }) {
      const body = formOf(files);
      const create = await asCreator(call, given);
      const context = call.request({ ...create, query: { ...create.query, entry }, body });
      return await publishedAs(call.operations.publishSite(context));
    },
  }),
  defineTool({
    name: 'republish_site',
    title: 'Replace a site',
    description:
      'Replaces all files of a site in one step, under the same address. Files that are not sent again are gone.',
    effect: 'changes',
    operations: ['replaceSite'],
    input: takes({ ...ITEM, files: FILES, ...ENTRY, ...OWNER }),
    output: wholeSchema(schemas, 'SiteUpdated'),
    async run(call, { namespace, id, files, entry, ...owner }) {
      const context = call.request({ query: { ...asOwner(call, owner), entry }, body: formOf(files) });
      return await resultOf(call.operations.replaceSite(context, { ns: namespace, id }));
    },
  }),
];

/** The form that a folder is uploaded as. @throws VALIDATION_FAILED */
function formOf(files: Static<typeof FILES>): FormData {
  const form = new FormData();
  for (const [index, { path, ...content }] of files.entries()) {
    form.append('files', new Blob([bytesOf(content, `files/${index}/`)]), 'file');
    form.append('paths', wellFormed(path, `files/${index}/path`));
  }
  return form;
}

/**
 * @param within where the two fields stand, for errors
 * @throws VALIDATION_FAILED without content, with two, and for what is not base64
 */
function bytesOf({ text, base64 }: Static<TObject<typeof BYTES>>, within: string): Uint8Array<ArrayBuffer> {
  if ((text === undefined) === (base64 === undefined))
    throw fault(`${within}text`, 'send either `text` or `base64`.');
  if (base64 === undefined) return new TextEncoder().encode(wellFormed(text ?? '', `${within}text`));
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    throw fault(`${within}base64`, 'is not base64.');
  }
}

const fault = (field: string, message: string) => errors.validationFailed([{ field, message }]);
