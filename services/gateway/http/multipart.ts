import { errors } from '../../../shared/errors.ts';
import { type BodyLimit, type BodyPace, bodyIssue, openBody, SPOOLED_PACE } from './body-reader.ts';
import { parseDisposition, parseHeaderParameters } from './content-disposition.ts';
import { type Part, splitParts } from './multipart-parts.ts';
import type { RequestContext } from './request-context.ts';
import { strictUtf8 } from './text.ts';

/** A file of a form. */
export interface FilePart {
  name: string;
  /**
   * As the client gave it, folders included: hostile until checked. Empty where a browser's form had no file chosen,
   * `null` when there is none.
   */
  filename: string | null;
  /** The part's own Content-Type as it was sent. */
  contentType: string | null;
  /** Can be read once, while `onFile` runs; what is not read of it is passed over. */
  body: AsyncIterable<Uint8Array>;
}

export interface MultipartOptions {
  /** Limit of the whole body, boundaries and headers included. */
  limit: BodyLimit;
  /** Names of parts that are files even without a filename. */
  fileFields: readonly string[];
  maxFiles: number;
  maxFields: number;
  /** Waits for room in memory for so many bytes of text, which are held until the context ends. @throws UNAVAILABLE */
  takeRoom(bytes: number): Promise<void>;
  /** That of a spooled body when left out. */
  pace?: BodyPace;
}

/** A field that came more than once is an array, in order. There is no prototype: `__proto__` is a field like others. */
export type FormFields = Record<string, string | string[]>;

/** Bytes of memory that a text of so many characters takes at most, or a piece of one: two each, and what stands around it. */
export const roomOfText = (characters: number): number => 2 * characters + 128;

/** Most bytes of a text field. */
const FIELD_BYTES = 65_536;

/** Most bytes of all text fields together, their names included. */
const FIELDS_BYTES = 1_048_576;

/**
 * Reads a multipart/form-data body (RFC 7578) as it arrives. `onFile` gets its files one at a time, each with the text
 * fields before it; the client sends only as fast as `onFile` reads (backpressure). Returns all text fields, which take room
 * as they arrive, and restarts the context's deadline. `onFile` takes room itself for
 * the bytes that it keeps.
 * @throws UNSUPPORTED_MEDIA_TYPE for another type; VALIDATION_FAILED for a malformed or cut off body, a slow client, and
 * above these limits; the limit's error; UNAVAILABLE without room for the text fields; what `onFile` throws. The rest of the
 * body is cancelled then.
 */
export async function readMultipart(
  context: RequestContext,
  options: MultipartOptions,
  onFile: (part: FilePart, before: FormFields) => Promise<void>,
): Promise<FormFields> {
  const boundary = boundaryOf(context.contentType);
  const parts = splitParts(openBody(context, options.limit, options.pace ?? SPOOLED_PACE), boundary);
  const fields = collectFields(options);
  let files = 0;
  try {
    for (let part = await parts.next(); part !== null; part = await parts.next()) {
      const { name, filename } = describe(part);
      if (filename !== null || options.fileFields.includes(name)) {
        if (++files > options.maxFiles) throw bodyIssue(`has more than ${options.maxFiles} files.`);
        const contentType = part.headers['content-type']?.[0]?.trim() || null;
        await onFile({ name, filename, contentType, body: part.body }, fields.all);
        await part.skip();
      } else await fields.add(name, part.body);
    }
  } finally {
    await parts.cancel();
  }
  context.restartDeadline();
  return fields.all;
}

/** RFC 2046 section 5.1.1. */
const BOUNDARY = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

function boundaryOf(header: string | null): string {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type !== 'multipart/form-data') {
    const got = type === '' ? 'There is no Content-Type' : `The Content-Type is "${type.slice(0, 80)}"`;
    throw errors.unsupportedMediaType(`${got}. Send a form as multipart/form-data, as curl -F does.`);
  }
  const boundary = parseHeaderParameters(header ?? '')?.parameters.get('boundary');
  if (boundary !== undefined && BOUNDARY.test(boundary)) return boundary;
  throw errors.validationFailed([
    { field: 'Content-Type', message: 'needs a boundary of 1 to 70 characters, as RFC 2046 says.' },
  ]);
}

function describe({ headers }: Part): ReturnType<typeof parseDisposition> {
  const dispositions = headers['content-disposition'] ?? [];
  const [disposition = ''] = dispositions;
  if (dispositions.length !== 1)
    throw bodyIssue('has a part without a Content-Disposition, or with several.');
  const encoding = headers['content-transfer-encoding']?.[0]?.trim().toLowerCase() ?? 'binary';
  // RFC 7578 section 4.7 has done away with it; stored undecoded the content would be another.
  if (!['binary', '8bit', '7bit'].includes(encoding))
    throw bodyIssue(
      `has a part in the Content-Transfer-Encoding "${encoding.slice(0, 40)}": send it as it is.`,
    );
  return parseDisposition(disposition);
}

function collectFields({ maxFields, takeRoom }: Pick<MultipartOptions, 'maxFields' | 'takeRoom'>) {
  const all: FormFields = Object.create(null);
  let count = 0;
  let bytes = 0;
  return {
    all,
    async add(name: string, body: AsyncIterable<Uint8Array>): Promise<void> {
      if (++count > maxFields) throw bodyIssue(`has more than ${maxFields} text fields.`);
      await takeRoom(roomOfText(name.length));
      const value = await readText(name, body, takeRoom);
      bytes += name.length + value.length;
      if (bytes > FIELDS_BYTES)
        throw bodyIssue(`has text fields of more than ${FIELDS_BYTES} bytes together.`);
      const earlier = all[name];
      if (earlier === undefined) all[name] = value;
      else if (Array.isArray(earlier)) earlier.push(value);
      else all[name] = [earlier, value];
    },
  };
}

async function readText(
  name: string,
  body: AsyncIterable<Uint8Array>,
  takeRoom: MultipartOptions['takeRoom'],
): Promise<string> {
  const issue = (message: string) => errors.validationFailed([{ field: name.slice(0, 100), message }]);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > FIELD_BYTES) throw issue(`has more than ${FIELD_BYTES} bytes; send a file with a filename.`);
    chunks.push(chunk);
    await takeRoom(roomOfText(chunk.length));
  }
  try {
    return strictUtf8.decode(Buffer.concat(chunks, size));
  } catch {
    throw issue('is not UTF-8 text; send a file with a filename.');
  }
}
