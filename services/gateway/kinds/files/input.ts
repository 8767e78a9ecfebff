import type { createFile } from '../../../../shared/contracts/files.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { growingRoom, readBody, readFilePart } from '../../admission/read-body.ts';
import { HELD_PACE } from '../../http/body-reader.ts';
import { readMultipart } from '../../http/multipart.ts';
import { pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';
import { parseCreate, parseFilename } from '../../uploads/create-parameters.ts';
import {
  type CompleteCreate,
  type CreateHead,
  completeCreate,
  hashPasswordOf,
} from '../../uploads/create-request.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { fileExtension, looksLikeHtml } from '../../uploads/inspect-content.ts';
import { storeBlob } from '../../uploads/store-blob.ts';
import { withExtension } from './file-types.ts';
import { fileLimitFor, identifyFile } from './identify-file.ts';

/** A file as it arrived, unchecked. */
export interface UploadedFile {
  bytes: Uint8Array;
  /** Its name when no parameter gives another. */
  filename: string;
  /** The extension that its content implies, where the content alone makes it a file; the name need not have it. */
  extension: string | null;
  /** The other fields of the form. */
  fields: Record<string, unknown>;
}

type PartFile = Omit<UploadedFile, 'fields'>;

/** Room for the form around the file. */
const FORM_BYTES = 1_048_576;

/**
 * Reads a form with one part `file` (specification 7.1). A file that its name alone rules out is refused before
 * its bytes are read.
 * @throws UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED, TOO_LARGE
 */
export async function readFileUpload(
  { budget }: UploadDependencies,
  context: RequestContext,
): Promise<UploadedFile> {
  let file: PartFile | null = null;
  const whole = LIMITS.videoBytes + FORM_BYTES;
  const limit = { bytes: whole, tooLarge: () => errors.tooLarge('The file', LIMITS.videoBytes) };
  const options = {
    limit,
    fileFields: ['file'],
    maxFiles: 2,
    maxFields: 50,
    pace: HELD_PACE,
    takeRoom: growingRoom(context, budget, 1),
  };
  const fields = await readMultipart(context, options, async (part, before) => {
    if (part.name !== 'file' || file !== null) throw oneFile();
    const issues = collectIssues();
    const filename = isFromStdin(part.filename) ? null : filenameOfPart(part.filename, issues);
    const named = filenameOf(pick(context.query(), before, ['filename']), issues) ?? filename;
    issues.throwIfAny();
    if (named === null && !isFromStdin(part.filename)) throw noName();
    const maxBytes = named === null ? LIMITS.videoBytes : fileLimitFor(named);
    const tooLarge = () => errors.tooLarge('The file', maxBytes);
    const bytes = await readFilePart(context, part.body, { bytes: maxBytes, tooLarge }, budget);
    // A file without a name gets one by its content.
    file = {
      bytes,
      filename: named ?? 'upload',
      extension: named === null ? await extensionFor(bytes) : null,
    };
  });
  // Assigned in the callback, which the compiler does not follow.
  const found = file as PartFile | null;
  if (found === null) throw oneFile();
  return { ...found, fields };
}

/** Reads a bare body as the file of a name. @throws VALIDATION_FAILED, UNSUPPORTED_MEDIA_TYPE, TOO_LARGE */
export async function readNamedFile(
  { budget }: UploadDependencies,
  context: RequestContext,
  name: string,
): Promise<UploadedFile> {
  const issues = collectIssues();
  const filename = filenameOf(name, issues);
  issues.throwIfAny();
  if (filename === null) throw noName();
  const maxBytes = fileLimitFor(filename);
  const limit = { bytes: maxBytes, tooLarge: () => errors.tooLarge('The file', maxBytes) };
  return { bytes: await readBody(context, limit, budget), filename, extension: null, fields: {} };
}

/** Checks a file and stores it: what `content` needs to create it. */
export async function prepareFileCreate(
  deps: UploadDependencies,
  context: RequestContext,
  head: CreateHead,
  { bytes, filename: fallback, extension, fields }: UploadedFile,
): Promise<Pick<CompleteCreate, 'ownerTokenOf'> & { input: InputOf<typeof createFile> }> {
  const issues = collectIssues();
  const parameters = parseCreate(context, fields, issues);
  const named = filenameOf(pick(context.query(), fields, ['filename']), issues) ?? fallback;
  issues.throwIfAny();
  const filename = extension === null ? named : withExtension(named, extension);
  const { contentType, family, language } = await identifyFile(filename, bytes);
  const [blob, passwordHash] = await Promise.all([
    storeBlob(deps, bytes),
    hashPasswordOf(deps, context, parameters),
  ]);
  const identity = ['file', filename, blob.sha256];
  const { input, ownerTokenOf } = completeCreate(
    deps,
    context,
    head,
    { ...parameters, passwordHash },
    identity,
  );
  return { ownerTokenOf, input: { ...input, filename, contentType, family, language, blob } };
}

/** The name that curl gives to what it reads from standard input (`-F file=@-`). */
const isFromStdin = (filename: string | null): boolean => filename === '-';

/** The extension that content without a name gets. */
const extensionFor = async (bytes: Uint8Array): Promise<string> =>
  (await fileExtension(bytes)) ?? (looksLikeHtml(headOf(bytes)) ? 'html' : 'txt');

const headOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes.subarray(0, 1_024));

const oneFile = () =>
  errors.validationFailed([
    { field: 'file', message: 'send exactly one file, as the part "file" of multipart/form-data.' },
  ]);

const noName = () =>
  errors.validationFailed([
    {
      field: 'file',
      message:
        'has no filename; send one with the part, or as ?filename=, or as a field "filename" before it.',
    },
  ]);

/** Marks that turn the direction of what follows, by which `gpj.html` reads as `lmth.jpg`. No name needs them. */
const DIRECTION_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * The name of a file as the parameter `filename` gives it (specification 7.1), without white space around it;
 * `null` when absent, blank or faulty.
 */
export function filenameOf(raw: unknown, issues: ValidationIssues): string | null {
  const name = parseFilename(raw, issues);
  if (name === '.' || name === '..') issues.add('filename', 'must name a file.');
  else if (name !== null && DIRECTION_OVERRIDES.test(name))
    issues.add('filename', 'must not contain marks that turn the direction of text.');
  else return name;
  return null;
}

/** The name of a file as a multipart part carries it: some clients put a path of their own before it. */
export function filenameOfPart(raw: string | null, issues: ValidationIssues): string | null {
  return filenameOf(raw?.split(/[/\\]/).at(-1) ?? null, issues);
}
