import { type ItemRef, type Perch, PerchError } from 'perch-client';
import { listOf } from './answers.ts';
import { defined } from './defined.ts';
import { CommandError, EXIT, messageOf } from './failures.ts';
import type { CreateSettings, Outcome, Upload } from './publishing.ts';
import type { Source } from './source.ts';

type FileSource = Extract<Source, { kind: 'file' }>;

/** A file as it is before its replacement, to be made anew when the new one is refused. */
interface Former {
  listed: Awaited<ReturnType<Perch['files']['list']>>[number];
  content: Blob;
}

/**
 * Replaces a file, which cannot be changed, by a new one at its address. When the new one is refused the former one is made anew.
 * @throws CommandError, with nothing changed, when the former one could not be made anew as it was; PerchError
 */
export async function replaceFile(
  perch: Perch,
  item: ItemRef,
  source: FileSource,
  settings: CreateSettings,
  call: Upload,
): Promise<Outcome> {
  const { listed, content } = await readFormer(perch, item, settings, call);
  await requireUploads(perch);
  await perch.files.remove(item, call);
  const place = { ns: item.namespace, id: item.id, password: settings.password, ...call };
  const make =
    ({ content, filename }: Omit<FileSource, 'kind'>, given: CreateSettings) =>
    (ttl: string) =>
      perch.files.create(content, { ...defined({ ...place, ...keptOf(listed, given), ttl }), filename });
  const daysLeft = daysUntil(listed.expiresAt);
  try {
    const makeNew = make(source, settings);
    return await (settings.ttl === undefined ? forDays(daysLeft, makeNew) : makeNew(settings.ttl));
  } catch (error) {
    const former = { content, filename: listed.filename };
    await forDays(daysLeft, make(former, {})).catch((again: unknown) => {
      throw new CommandError(
        `${item.namespace}/${item.id} is gone: neither the new file was taken (${messageOf(error)}) nor the former one (${messageOf(again)}). Publish it again.`,
        EXIT.unavailable,
      );
    });
    throw error;
  }
}

/** @throws CommandError when the file could not be made anew with what it has */
async function readFormer(
  perch: Perch,
  item: ItemRef,
  { password }: CreateSettings,
  { ownerToken }: Upload,
): Promise<Former> {
  const address = `${item.namespace}/${item.id}`;
  const files = listOf(await perch.files.list({ ns: item.namespace, ownerToken }));
  const listed = files.find(({ id }) => id === item.id);
  if (listed?.hasPassword === true && password === undefined)
    throw new CommandError(
      `${address} has a password, and would be made anew without one. Give it with --password.`,
    );
  const content = await (await perch.files.read(item, { ownerToken })).blob();
  // One that the operator has hidden is in no list.
  if (listed === undefined)
    throw new CommandError(
      `${address} is not in the list of what you own: it is not yours, or it is hidden, and would be made anew without its password, tags and days.`,
      EXIT.notAllowed,
    );
  return { listed, content };
}

/** Uploads that a replacement takes at the most: the new file, and the former one again when the new one is refused. */
const UPLOADS = 2;

/** @throws CommandError when the client has too few uploads left */
async function requireUploads(perch: Perch): Promise<void> {
  const window = listOf((await perch.limits()).windows).find(({ name }) => name === 'uploads');
  if (window === undefined || window.remaining === null || window.remaining >= UPLOADS) return;
  throw new CommandError(
    `A file is removed and made anew, for which ${UPLOADS} uploads have to be left, and ${window.remaining} are. It stays as it is. Try again in ${window.resetSeconds} s.`,
    EXIT.limited,
  );
}

/** Days that everybody may give. */
const LONGEST_DAYS = 30;

/** Makes a file for some days, or for as many as everybody may give: its owner may not give more any more. */
async function forDays(days: string, make: (ttl: string) => Promise<Outcome>): Promise<Outcome> {
  return await make(days).catch((error: unknown) => {
    if (error instanceof PerchError && error.code === 'TTL_INVALID') return make(String(LONGEST_DAYS));
    throw error;
  });
}

/** Tags and title that a file made anew takes over; a title that is its name follows the name. */
function keptOf(
  listed: { tags: string[]; title: string | null; filename: string },
  { tags, title }: CreateSettings,
): Pick<CreateSettings, 'tags' | 'title'> {
  const named = listed.title === listed.filename ? undefined : listed.title;
  return { tags: tags ?? listed.tags, title: title ?? named ?? undefined };
}

/** Whole days that are left, as many as are begun. */
function daysUntil(expiresAt: string): string {
  const days = Math.ceil((Date.parse(expiresAt) - Date.now()) / 86_400_000);
  return String(Math.max(1, days));
}
