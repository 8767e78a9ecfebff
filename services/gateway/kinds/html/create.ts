import { Elysia } from 'elysia';
import * as pages from '../../../../shared/contracts/html.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import type { PageFormat } from '../../../../shared/items/content.ts';
import { limited } from '../../admission/limited.ts';
import { pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';
import { created, json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { ExampleRequest, MediaType } from '../../openapi/operation.ts';
import { CREATE, OWNER_OPTIONAL, parameters } from '../../openapi/parameters.ts';
import { CREATE_CODES, failures } from '../../openapi/responses.ts';
import { createdSample, PNG_BASE64 } from '../../openapi/samples.ts';
import { parseCreate, parseFilename } from '../../uploads/create-parameters.ts';
import {
  type CompleteCreate,
  type CreateHead,
  completeCreate,
  hashPasswordOf,
  openCreate,
} from '../../uploads/create-request.ts';
import { answerCreate } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { storeBlob } from '../../uploads/store-blob.ts';
import {
  CREATED,
  MAX_LOCAL_REFS,
  MERGED,
  missingAssets,
  orQuarantined,
  type UploadResult,
  WITHOUT_TAGS,
} from '../../uploads/upload-result.ts';
import {
  BODY_CODES,
  decideFormat,
  formatAsked,
  PAGE_TYPES,
  type PageBody,
  readPageOrFile,
  suggestedTitle,
} from './body.ts';
import { localAssets } from './local-assets.ts';
import { HTML, MARKDOWN, PAGE, RAW } from './samples.ts';

/** Publishes a body that is a file as one (specification 4.3). */
export type PublishFile = (
  context: RequestContext,
  head: CreateHead,
  upload: { bytes: Uint8Array; filename: string; extension: string; fields: Record<string, unknown> },
) => Promise<Response>;

export const createHtmlRoute = (deps: UploadDependencies, publishFile: PublishFile) =>
  new Elysia()
    .use(limited(deps))
    .post('/api/html', ({ context }) => answerCreateHtml(deps, context, publishFile), {
      limit: 'uploads',
      parse: 'none',
      detail: documented({
        operationId: 'publishPage',
        summary: 'Publish a page',
        description:
          'Publishes HTML, markdown or text of up to 5 MB, raw or in a JSON body. Markdown is rendered; text is shown highlighted. A parameter may be sent in the query or in the JSON body; the query wins. An `application/octet-stream` body is text, unless it is an image, a video, a PDF or a ZIP: those become files, and the answer is that of a file. Posting the same bytes again under the same owner token to `public` without a password within 24 hours returns the page there is, with `X-Existing-Resource: 1`.',
        tags: ['Pages'],
        security: OWNER_OPTIONAL,
        parameters: parameters(...CREATE, 'Format', 'Filename', 'ShowTopBar'),
        requestBody: {
          required: true,
          content: {
            ...json('PageCreate', {
              html: { content: HTML, format: 'html', title: 'Launch' },
              markdown: { content: MARKDOWN, format: 'markdown', tags: ['docs', 'launch'], ttl: '30 days' },
            }),
            ...RAW,
          },
        },
        responses: {
          '201': created(
            json('PageOrFileCreated', {
              page: { ...createdSample('html', 38), ...PAGE, showTopBar: null, result: CREATED },
              incomplete: {
                ...createdSample('html', 52),
                ...PAGE,
                format: 'HTML',
                showTopBar: null,
                result: missingAssets(['style.css', 'img/bird.png']),
              },
              file: { ...createdSample('files', 70), filename: 'Ab3dE6gH9k.png', contentType: 'image/png' },
            }),
            ['X-Existing-Resource'],
          ),
          ...failures([...new Set([...CREATE_CODES, ...BODY_CODES]), 'LIMIT_REACHED', 'TOO_LARGE']),
        },
        'x-example-requests': [
          { summary: 'HTML in JSON', status: 201, body: { type: 'application/json', example: 'html' } },
          {
            summary: 'Markdown in JSON',
            status: 201,
            body: { type: 'application/json', example: 'markdown' },
          },
          ...Object.entries(RAW).map(rawRequest),
          {
            summary: 'With every parameter',
            status: 201,
            query: {
              ns: 'team-notes',
              tags: 'docs,launch',
              ttl: '7d',
              title: 'Launch',
              filename: 'launch.md',
              format: 'markdown',
              showTopBar: 'true',
            },
            headers: { 'X-Password': 'correct horse' },
            body: { type: 'text/markdown', example: 'markdown' },
          },
          {
            summary: 'The address alone as the answer',
            status: 201,
            headers: { Accept: 'text/plain' },
            body: { type: 'text/markdown', example: 'markdown' },
          },
          {
            summary: 'A picture, which becomes a file',
            status: 201,
            body: { type: 'application/octet-stream', base64: PNG_BASE64 },
          },
        ],
      }),
    });

/**
 * The input of `createHtml`: checks everything, then stores the page. A parameter in the query wins over one in the JSON
 * body (specification 3.1).
 */
async function readPageCreate(
  deps: UploadDependencies,
  context: RequestContext,
  head: CreateHead,
  body: PageBody,
): Promise<Pick<CompleteCreate, 'ownerTokenOf'> & { input: InputOf<typeof pages.createHtml> }> {
  const issues = collectIssues();
  const query = context.query();
  const parameters = parseCreate(context, body.fields, issues);
  const kind = decideFormat(body, query, issues);
  const filename = parseFilename(pick(query, body.fields, ['filename']), issues);
  const showTopBar = parseFlag(pick(query, body.fields, ['showTopBar']), 'showTopBar', issues);
  issues.throwIfAny();

  const [blob, passwordHash] = await Promise.all([
    storeBlob(deps, body.bytes),
    hashPasswordOf(deps, context, parameters),
  ]);
  const identity = [kind.format, kind.language, kind.contentType, blob.sha256, filename, showTopBar];
  const create = completeCreate(deps, context, head, { ...parameters, passwordHash }, identity);
  return {
    ownerTokenOf: create.ownerTokenOf,
    input: {
      ...create.input,
      ...kind,
      filename,
      showTopBar,
      blob,
      ownerKnown: create.ownerKnown,
      suggestedTitle: suggestedTitle(kind.format, body.text),
    },
  };
}

const ANY_TAG = /<[a-z!/]/i;

/** The result of a create: with a warning when an HTML page loads relative files, or was likely not meant as HTML. */
function resultOf(
  format: PageFormat,
  { text, mediaType, fields }: PageBody,
  query: URLSearchParams,
): UploadResult {
  if (format !== 'HTML') return CREATED;
  const missing = localAssets(text, MAX_LOCAL_REFS);
  if (missing.length > 0) return missingAssets(missing);
  const isByDefault = mediaType.body === 'json' && pick(query, fields, ['format']) === null;
  return isByDefault && !ANY_TAG.test(text) ? WITHOUT_TAGS : CREATED;
}

/** Files ignore `format` and `showTopBar`, but invalid values are still rejected. @throws VALIDATION_FAILED */
function checkPageParameters(query: URLSearchParams): void {
  const issues = collectIssues();
  formatAsked(query, {}, issues);
  parseFlag(pick(query, {}, ['showTopBar']), 'showTopBar', issues);
  issues.throwIfAny();
}

function parseFlag(value: unknown, field: string, issues: ValidationIssues): boolean | null {
  if (value === null) return null;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  issues.add(field, 'must be true or false.');
  return null;
}

const rawRequest = ([type, { examples }]: [string, MediaType]): ExampleRequest => ({
  summary: `A raw ${type} body`,
  status: 201,
  body: { type, example: Object.keys(examples)[0] ?? '' },
});

/** Publishes the page that a request brings, or the file that its body turns out to be. */
export async function answerCreateHtml(
  deps: UploadDependencies,
  context: RequestContext,
  publishFile: PublishFile,
): Promise<Response> {
  const head = await openCreate(deps, context, {
    supportedTypes: PAGE_TYPES,
    parameters: ['format', 'filename', 'showTopBar'],
  });
  const body = await readPageOrFile(context, deps.budget);
  if ('file' in body) {
    checkPageParameters(context.query());
    const upload = { bytes: body.file, filename: 'upload', extension: body.extension, fields: {} };
    return await publishFile(context, head, upload);
  }
  const create = await readPageCreate(deps, context, head, body);
  return await answerCreate(deps, context, 'html', pages.createHtml, create, (page, existing) => ({
    format: page.content.format,
    filename: page.content.filename,
    showTopBar: page.content.showTopBar,
    result: existing ? MERGED : orQuarantined(resultOf(page.content.format, body, context.query()), page),
  }));
}
