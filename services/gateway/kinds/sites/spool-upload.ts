import { errors } from '../../../../shared/errors.ts';
import { type Holding, holdFor } from '../../admission/fair-budget.ts';
import { growingRoom, streamBody } from '../../admission/read-body.ts';
import type { BodyLimit } from '../../http/body-reader.ts';
import { type FilePart, type FormFields, readMultipart } from '../../http/multipart.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type OpenUpload, openArchive } from './archive.ts';
import type { SiteDependencies } from './dependencies.ts';
import { createFolderUpload, MAX_PARTS } from './folder-upload.ts';
import type { SpoolFile } from './spool.ts';

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
  const maxBytes = siteMaxBytes + ENVELOPE_BYTES;
  const limit = { bytes: maxBytes, tooLarge: () => errors.tooLarge('The site', siteMaxBytes) };
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
    limit,
    fileFields: ['archive', 'file', 'files'],
    // The first one above the limit comes to the folder, which refuses it.
    maxFiles: MAX_PARTS + 1,
    maxFields: MAX_PARTS + 50,
    takeRoom,
  };
  const fields = await readMultipart(context, options, async (part: FilePart, before) => {
    if (part.name === 'files' || part.name === 'files[]') {
      loose += 1;
      if (archives > 0) throw oneOrTheOther();
      await folder.add(part.filename ?? '', part.body, pathAt(loose - 1, before));
    } else if (part.name === 'archive' || part.name === 'file') {
      archives += 1;
      if (archives > 1 || loose > 0) throw oneOrTheOther();
      for await (const chunk of part.body) await file.write(chunk);
    } else throw unknownPart(part.name);
  });
  if (archives + loose === 0) throw oneOrTheOther();
  const paths = [pathsIn(fields)].flat();
  return { fields, open: archives > 0 ? openZip : async () => folder.open(paths) };
}

const pathsIn = (fields: FormFields): string | string[] => fields.paths ?? fields['paths[]'] ?? [];

/** The path of a file, if it came before the file did. */
const pathAt = (index: number, before: FormFields): string | undefined => {
  const paths = pathsIn(before);
  return typeof paths === 'string' ? [paths][index] : paths[index];
};

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
