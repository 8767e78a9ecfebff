import { open } from 'node:fs/promises';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { readExactly } from '../../../../shared/read-exactly.ts';
import { type Holding, holdFor } from '../../admission/fair-budget.ts';
import { growingRoom, streamBody } from '../../admission/read-body.ts';
import { quoted } from '../../archives/archive-issue.ts';
import type { BodyLimit } from '../../http/body-reader.ts';
import { type FilePart, type FormFields, readMultipart, roomOfText } from '../../http/multipart.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { copyOfSlice } from '../../http/text.ts';
import { type OpenUpload, openArchive, type SitePart } from './archive.ts';
import type { SiteDependencies } from './dependencies.ts';
import { isSkippedPath, normaliseSitePath } from './site-paths.ts';
import { available, type SpoolFile } from './spool.ts';

/** An upload of a site on the disk, unprocessed. The caller owns it and must remove it. */
export interface SpooledSite {
  path: string;
  /** Its room on the disk, as it came and unpacked: one holding for both, as the budget lends its reserve to one holding at a time. */
  room: Holding;
  /** The other fields of the form. */
  fields: FormFields;
  /** Looks at what is in it, as far as that is known without unpacking. */
  open(): Promise<OpenUpload>;
  remove(): Promise<void>;
}

/** Room for the form, or the archive's own structures, around the files. */
const ENVELOPE_BYTES = 16 * 1_048_576;

/** Room that the largest site can take on the disk: as it came, and unpacked. */
export const diskRoomOf = (siteMaxBytes: number): number => 2 * (siteMaxBytes + ENVELOPE_BYTES);

/** A raw ZIP, also as programs send it that know no type for it. */
const ARCHIVE_TYPES = new Set([
  'application/zip',
  'application/x-zip-compressed',
  'application/octet-stream',
]);

/** Every type of body that a site can come in. */
export const SITE_BODY_TYPES = ['multipart/form-data', ...ARCHIVE_TYPES];

/** More files than a site may have are counted, so that the answer says so; dotfiles among them are left out later. */
const MAX_PARTS = 2 * LIMITS.siteFiles;

/**
 * Writes the body of a site's create or replacement to the disk (specification 8.1): a form with an archive or with
 * files, or the archive itself. The room it takes there, and in memory for the names and texts of a form, is held until the
 * context ends.
 * @throws UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED, TOO_LARGE, UNAVAILABLE
 */
export async function spoolSiteUpload(deps: SiteDependencies, context: RequestContext): Promise<SpooledSite> {
  const { spool, diskBudget } = deps;
  const { siteMaxBytes } = deps.config;
  const type = context.contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isArchive = ARCHIVE_TYPES.has(type);
  if (!isArchive && type !== 'multipart/form-data') throw notASite(type);
  const most = siteMaxBytes + ENVELOPE_BYTES;
  const limit = { bytes: most, tooLarge: () => errors.tooLarge('The site', siteMaxBytes) };
  const room = holdFor(context, diskBudget);
  const file = withRoom(await spool.file(), room);
  const openZip = () => openArchive(file.path, siteMaxBytes);
  try {
    let upload: Pick<SpooledSite, 'fields' | 'open'> = { fields: {}, open: openZip };
    if (isArchive) for await (const chunk of streamBody(context, limit)) await file.write(chunk);
    else upload = await spoolForm(deps, context, file, limit, openZip);
    await file.finish();
    return { path: file.path, room, ...upload, remove: () => file.remove() };
  } catch (error) {
    await file.remove();
    throw error;
  }
}

/** Each write waits for room on the disk first. */
const withRoom = (file: SpoolFile, room: Holding): SpoolFile => ({
  ...file,
  async write(chunk) {
    await room.take(chunk.length);
    await file.write(chunk);
  },
});

async function spoolForm(
  { budget }: SiteDependencies,
  context: RequestContext,
  file: SpoolFile,
  limit: BodyLimit,
  openZip: () => Promise<OpenUpload>,
): Promise<Pick<SpooledSite, 'fields' | 'open'>> {
  // Bytes go to the disk; names and text fields stay in memory for as long as the client takes.
  const takeRoom = growingRoom(context, budget, 1);
  const folder = createFolderUpload(file, takeRoom);
  let archives = 0;
  let loose = 0;
  const options = {
    ...{ limit, fileFields: ['archive', 'file', 'files'] },
    ...{ maxFiles: MAX_PARTS, maxFields: MAX_PARTS + 50, takeRoom },
  };
  const fields = await readMultipart(context, options, async (part: FilePart) => {
    if (part.name === 'files' || part.name === 'files[]') {
      loose += 1;
      if (archives > 0) throw oneOrTheOther();
      await folder.add(part.filename ?? '', part.body);
    } else if (part.name === 'archive' || part.name === 'file') {
      archives += 1;
      if (archives > 1 || loose > 0) throw oneOrTheOther();
      for await (const chunk of part.body) await file.write(chunk);
    } else throw unknownPart(part.name);
  });
  if (archives + loose === 0) throw oneOrTheOther();
  const paths = [fields.paths ?? fields['paths[]'] ?? []].flat();
  return { fields, open: archives > 0 ? openZip : async () => folder.open(paths) };
}

function notASite(type: string) {
  const got =
    type === '' ? 'There is no Content-Type' : `The Content-Type "${type.slice(0, 80)}" cannot be a site`;
  return errors.unsupportedMediaType(
    `${got}. Send multipart/form-data with an archive or files, or the ZIP itself as application/zip.`,
  );
}

const oneOrTheOther = () =>
  errors.validationFailed([
    { field: 'archive', message: 'send one ZIP as the part "archive", or the files as parts "files".' },
  ]);

const unknownPart = (name: string) =>
  errors.validationFailed([
    {
      field: name.slice(0, 100),
      message: 'is not a part of a site; the archive is "archive", each loose file "files".',
    },
  ]);

/** The files of a folder, written one behind the other as they come; their paths may come before or after them. */
interface FolderUpload {
  add(filename: string, body: AsyncIterable<Uint8Array>): Promise<void>;
  /**
   * The files, in their order.
   * @param paths one for each file, instead of its filename; none at all when it is empty.
   * @throws VALIDATION_FAILED when there are not as many paths as files
   */
  open(paths: string[]): OpenUpload;
}

/** More than a path may have, with the folder in front of it. */
const LONGEST_NAME = 2 * LIMITS.sitePathCharacters + 3;

interface Part {
  filename: string;
  /** Bytes in the spool file. */
  length: number;
  /** Whether it has more bytes than a file of a site may have: those are not in the spool file. */
  isCut: boolean;
}

/** Whether a file of that name is no part of a site, unless `paths` gives it another one. */
function isLeftOut(filename: string): boolean {
  const verdict = normaliseSitePath(filename);
  return 'path' in verdict && isSkippedPath(verdict.path);
}

const fileTooLarge = (path: string) => errors.tooLarge(`The file ${quoted(path)}`, LIMITS.siteFileBytes);

/** @param takeRoom waits for room in memory, for the names */
export function createFolderUpload(
  spooled: SpoolFile,
  takeRoom: (bytes: number) => Promise<void>,
): FolderUpload {
  const parts: Part[] = [];

  return {
    async add(filename, body) {
      // Names come in headers of up to 16 KB; one that is cut off is still too long.
      const name = copyOfSlice(filename.slice(0, LONGEST_NAME));
      await takeRoom(roomOfText(name.length));
      let length = 0;
      let isCut = false;
      for await (const chunk of body) {
        isCut ||= length + chunk.length > LIMITS.siteFileBytes;
        if (isCut) {
          // The part is read to its end, as a site may follow it.
          if (isLeftOut(filename)) continue;
          throw fileTooLarge(filename);
        }
        length += chunk.length;
        await spooled.write(chunk);
      }
      parts.push({ filename: name, length, isCut });
    },
    open(paths) {
      if (paths.length > 0 && paths.length !== parts.length) throw unequal(paths.length, parts.length);
      return {
        totalBytes: parts.reduce((sum, { length, isCut }) => (isCut ? sum : sum + length), 0),
        files: () => read(spooled.path, parts, paths),
        async close() {},
      };
    },
  };
}

async function* read(spooledPath: string, parts: Part[], paths: string[]): AsyncGenerator<SitePart> {
  const file = await available(() => open(spooledPath, 'r'));
  try {
    let position = 0;
    for (const [index, { filename, length, isCut }] of parts.entries()) {
      const start = position;
      const path = paths[index] ?? filename;
      position += length;
      if (isCut && !isLeftOut(path)) throw fileTooLarge(path);
      if (isCut) continue;
      yield { path, bytes: await available(() => readExactly(file, start, Buffer.allocUnsafe(length))) };
    }
  } finally {
    await file.close();
  }
}

const unequal = (paths: number, files: number) =>
  errors.validationFailed([
    { field: 'paths', message: `there are ${paths} paths for ${files} files; send one for each, or none.` },
  ]);
