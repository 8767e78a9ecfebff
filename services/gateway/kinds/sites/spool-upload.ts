import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { type Holding, holdFor } from '../../admission/fair-budget.ts';
import { streamBody } from '../../admission/read-body.ts';
import type { BodyLimit } from '../../http/body-reader.ts';
import { type FilePart, type FormFields, readMultipart } from '../../http/multipart.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { openArchive } from './archive.ts';
import type { SiteDependencies } from './dependencies.ts';
import { createFolderUpload } from './folder-upload.ts';
import type { SiteLimits, SitePart } from './site-limits.ts';
import type { SpoolFile } from './spool.ts';

/** An upload of a site on the disk, unprocessed. The caller owns it and must remove it. */
export interface SpooledSite {
  path: string;
  /** The other fields of the form. */
  fields: FormFields;
  /** Looks at what is in it, as far as that is known without unpacking. */
  open(): Promise<OpenUpload>;
  remove(): Promise<void>;
}

/** An upload about to be unpacked. */
export interface OpenUpload {
  /** Bytes of its files together. */
  totalBytes: number;
  /** Its files, checked as they are read. Can be read once. */
  files(): AsyncGenerator<SitePart>;
  close(): Promise<void>;
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
 * files, or the archive itself. The room it takes there is held until the context ends.
 * @throws UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED, TOO_LARGE, UNAVAILABLE
 */
export async function spoolSiteUpload(deps: SiteDependencies, context: RequestContext): Promise<SpooledSite> {
  const { config, spool, diskBudget } = deps;
  const type = context.contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  const isArchive = ARCHIVE_TYPES.has(type);
  if (!isArchive && type !== 'multipart/form-data') throw notASite(type);
  const most = config.siteMaxBytes + ENVELOPE_BYTES;
  const limit = { bytes: most, tooLarge: () => errors.tooLarge('The site', config.siteMaxBytes) };
  const limits = { maxBytes: config.siteMaxBytes };
  const file = withRoom(await spool.file(), holdFor(context, diskBudget));
  try {
    if (!isArchive) return await spoolForm(context, file, limit, limits);
    for await (const chunk of streamBody(context, limit)) await file.write(chunk);
    await file.finish();
    return {
      path: file.path,
      fields: {},
      open: () => openArchive(file.path, limits),
      remove: () => file.remove(),
    };
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
  context: RequestContext,
  file: SpoolFile,
  limit: BodyLimit,
  limits: SiteLimits,
): Promise<SpooledSite> {
  const folder = createFolderUpload(file);
  let archives = 0;
  let loose = 0;
  const options = {
    ...{ limit, fileFields: ['archive', 'file', 'files'] },
    ...{ maxFiles: MAX_PARTS, maxFields: MAX_PARTS + 50 },
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
  await file.finish();
  if (archives + loose === 0) throw oneOrTheOther();
  const paths = [fields.paths ?? fields['paths[]'] ?? []].flat();
  return {
    ...{ path: file.path, fields },
    open: async () => (archives > 0 ? await openArchive(file.path, limits) : folder.open(paths)),
    remove: () => file.remove(),
  };
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
