import { type Static, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import * as files from '../../../../shared/contracts/files.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { created, json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { FILENAME_FIELD, FORM_FIELDS, UPLOADED_FILE } from '../../openapi/forms.ts';
import { CREATE, OWNER_OPTIONAL, parameters } from '../../openapi/parameters.ts';
import { CREATE_CODES, failures } from '../../openapi/responses.ts';
import { createdSample, PNG_BASE64 } from '../../openapi/samples.ts';
import { type CreateHead, openCreate } from '../../uploads/create-request.ts';
import type { CreateRules } from '../../uploads/create-rules.ts';
import { answerCreate } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { FILE_TYPES } from './file-types.ts';
import { prepareFileCreate, readFileUpload, readNamedFile, type UploadedFile } from './input.ts';

const NOTES = { filename: 'notes.md', type: 'text/markdown', value: '# Launch\n' };

export const FILE_SAMPLE = { filename: 'notes.md', contentType: 'text/markdown; charset=utf-8' };

/** Rules of every create of a file. */
export const FILE_RULES: CreateRules = { supportedTypes: FILE_TYPES, parameters: ['filename'] };

/** Publishes a file that arrives as a form (specification 7.1). */
export const createFileRoute = (deps: UploadDependencies) =>
  new Elysia().use(limited(deps)).post(
    '/api/files',
    async ({ context }) => {
      const head = await openCreate(deps, context, FILE_RULES);
      return await publishFile(deps, context, head, await readFileUpload(deps, context));
    },
    {
      limit: 'uploads',
      parse: 'none',
      detail: documented({
        operationId: 'uploadFile',
        summary: 'Upload a file',
        description:
          'One part `file`, whose name is kept unless `filename` is given; the create parameters may come as further fields. The extension decides what is taken: text and code (html htm md markdown json css js mjs csv tsv xml yaml yml vtt py pyi pyw go rs java kt kts scala groovy gradle c h cc cpp cxx hpp hh cs fs fsx vb m mm swift dart jsx cjs ts tsx mts cts vue svelte astro xsl xsd dtd plist gpx kml scss less php rb pl pm lua r jl hs ml mli ex exs erl hrl clj cljs edn lisp el sh bash zsh ps1 sql graphql gql proto diff patch ini cfg conf env properties toml jsonc json5 jsonl ndjson geojson ipynb dockerfile mk cmake nix nginx tex bib rst adoc org tf hcl zig nim sol po srt lock log txt), images (png jpg jpeg gif webp avif svg ico bmp), audio (mp3 wav ogg flac m4a aac opus), video (mp4 webm mov m4v ogv), pdf, zip and fonts (woff woff2 ttf otf). Then the content is looked at: executables and whatever is not in that list are refused. Up to 5 MB, video up to 20 MB; up to 1000 files in a namespace (in `public`: of one owner).',
        tags: ['Files'],
        security: OWNER_OPTIONAL,
        parameters: parameters(...CREATE, 'UploadedFilename'),
        requestBody: {
          required: true,
          content: {
            'multipart/form-data': {
              schema: Type.Object({ file: UPLOADED_FILE, ...FILENAME_FIELD, ...FORM_FIELDS }),
              examples: { text: { value: { file: '# Launch\n', tags: 'docs', ttl: '30 days' } } },
            },
          },
        },
        responses: {
          '201': created(json('FileCreated', { file: { ...createdSample('files', 9), ...FILE_SAMPLE } })),
          ...failures([...CREATE_CODES, 'TOO_LARGE', 'LIMIT_REACHED', 'CONTENT_REJECTED', 'LINK_BLOCKED']),
        },
        'x-example-requests': [
          {
            summary: 'A text',
            status: 201,
            body: { type: 'multipart/form-data', parts: [{ name: 'file', ...NOTES }] },
          },
          {
            summary: 'A picture',
            status: 201,
            query: { ns: 'team-notes', ttl: '7d' },
            headers: { 'X-Password': 'correct horse' },
            body: {
              type: 'multipart/form-data',
              parts: [{ name: 'file', filename: 'dot.png', type: 'image/png', base64: PNG_BASE64 }],
            },
          },
          {
            summary: 'With fields, and the address alone as the answer',
            status: 201,
            headers: { Accept: 'text/plain' },
            body: {
              type: 'multipart/form-data',
              parts: [
                { name: 'tags', value: 'docs' },
                { name: 'ttl', value: '30 days' },
                { name: 'file', ...NOTES },
              ],
            },
          },
          {
            summary: 'Under another name',
            status: 201,
            query: { filename: 'launch.md' },
            body: { type: 'multipart/form-data', parts: [{ name: 'file', ...NOTES }] },
          },
          {
            summary: 'An extension that is not taken',
            status: 415,
            body: {
              type: 'multipart/form-data',
              parts: [{ name: 'file', ...NOTES, filename: 'setup.exe' }],
            },
          },
        ],
      }),
    },
  );

/** Checks a file that has arrived, here or as a body of POST /api/html (specification 4.3), and publishes it. */
export async function publishFile(
  deps: UploadDependencies,
  context: RequestContext,
  head: CreateHead,
  upload: UploadedFile,
): Promise<Response> {
  const create = await prepareFileCreate(deps, context, head, upload);
  return await answerCreate(deps, context, 'file', files.createFile, create, namedFile);
}

/** Publishes a bare body as the file of a name, by the rules of forms. */
export async function answerPutFile(
  deps: UploadDependencies,
  context: RequestContext,
  name: string,
): Promise<Response> {
  const head = await openCreate(deps, context, { ...FILE_RULES, parameters: [] });
  return await publishFile(deps, context, head, await readNamedFile(deps, context, name));
}

/** The fields of a file that its answers have beside those of every item. */
export const namedFile = ({
  content: { filename, contentType },
}: Pick<Static<typeof files.FileItem>, 'content'>) => ({ filename, contentType });
