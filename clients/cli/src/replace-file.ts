import { type ItemRef, type Perch, PerchError } from 'perch-client';
import { listOf } from './answers.ts';
import { defined } from './defined.ts';
import { CommandError, EXIT, messageOf } from './failures.ts';
import { type Former, readFormer, rescue } from './former-file.ts';
import type { CreateSettings, Outcome, Upload } from './publishing.ts';
import type { Source } from './source.ts';
import { uninterrupted } from './uninterrupted.ts';

type FileSource = Extract<Source, { kind: 'file' }>;

/**
 * Replaces a file, which cannot be changed, by a new one at its address, with its title, its tags, the days it had left, and where it
 * was to be served. When that fails the former one is made anew; Ctrl-C waits until the one or the other is there.
 * @param note tells people what they should know
 * @throws CommandError, with nothing changed, when the former one could not be made anew as it was; PerchError
 */
export async function replaceFileItem(
  perch: Perch,
  item: ItemRef,
  source: FileSource,
  settings: CreateSettings,
  { note, ...call }: Upload & { note(text: string): void },
): Promise<Outcome> {
  const former = await readFormer(perch, item, settings, call);
  const { listed, hosting } = former;
  await requireUploads(perch);
  const deliveryMode = hosting.requestedDeliveryMode ?? undefined;
  const place = { ns: item.namespace, id: item.id, password: settings.password, deliveryMode, ...call };
  const make =
    ({ content, filename }: Omit<FileSource, 'kind'>, given: CreateSettings) =>
    (ttl: string) =>
      perch.files.create(content, { ...defined({ ...place, ...keptOf(listed, given), ttl }), filename });
  const daysLeft = daysUntil(listed.expiresAt);
  const makeNew = make(source, settings);
  const makeFormer = make({ content: former.content, filename: listed.filename }, {});
  const undo = (why: unknown) => putBack(() => forDays(daysLeft, makeFormer), former, item, why);
  const exchange = async () => {
    try {
      await perch.files.remove(item, call);
    } catch (error) {
      if (!isRefusal(error)) await undo(error);
      throw error;
    }
    try {
      return await (settings.ttl === undefined ? forDays(daysLeft, makeNew) : makeNew(settings.ttl));
    } catch (error) {
      await undo(error);
      throw error;
    }
  };
  const made = await uninterrupted(exchange, () =>
    note('A file is being replaced. This ends as soon as the new one is there, or the former one again.'),
  );
  if (hosting.hostUrl !== null && made.hostUrl !== hosting.hostUrl)
    note(`Its own host is another one: ${made.hostUrl ?? 'none'}, and ${hosting.hostUrl} is gone.`);
  return made;
}

/** Whether the server has refused a removal; after any other failure it may have removed the file. */
const isRefusal = (error: unknown): boolean => error instanceof PerchError && error.status < 500;

/**
 * Makes the former file anew, unless it or the new one is there.
 * @throws CommandError when nothing is at the address; the former file is on this machine then
 */
async function putBack(
  makeFormer: () => Promise<Outcome>,
  former: Former,
  { namespace, id }: ItemRef,
  why: unknown,
): Promise<void> {
  try {
    await makeFormer();
  } catch (error) {
    if (error instanceof PerchError && error.code === 'ID_TAKEN') return;
    const kept = await rescue(former);
    throw new CommandError(
      `${namespace}/${id} is gone: neither the new file was taken (${messageOf(why)}) nor the former one (${messageOf(error)}). The former one is kept in ${kept}. Publish either of them again.`,
      EXIT.unavailable,
    );
  }
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
const MAX_DAYS = 30;

/** Makes a file for some days, or for as many as everybody may give: its owner may not give more any more. */
async function forDays<T>(days: string, make: (ttl: string) => Promise<T>): Promise<T> {
  return await make(days).catch((error: unknown) => {
    if (error instanceof PerchError && error.code === 'TTL_INVALID') return make(String(MAX_DAYS));
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
