import { type ItemRef, type Perch, PerchError, type Progress, type UploadSource } from 'perch-client';
import { CommandError, EXIT } from './failures.ts';
import type { Published } from './records.ts';
import type { Source } from './source.ts';
import { utf8Of } from './utf8.ts';

export const PAGE_FORMATS = ['html', 'markdown', 'text'] as const;
export type PageFormat = (typeof PAGE_FORMATS)[number];

/** Options of a create beside its content. */
export interface CreateSettings {
  ns?: string | undefined;
  id?: string | undefined;
  title?: string | undefined;
  tags?: string[] | undefined;
  ttl?: string | undefined;
  password?: string | undefined;
  format?: PageFormat | undefined;
  entry?: string | undefined;
}

type OnProgress = ((progress: Progress) => void) | undefined;

/** Fields that every create and update of the service answers with. */
export interface Outcome {
  namespace: string;
  id: string;
  url: string;
  expiresAt: string;
  /** Whether the item that was created has a password. */
  hasPassword?: boolean;
  /** How the upload of a page or a site went. */
  result?: { code: string; extras?: { localAssetRefs?: string[] } };
}

/** Creates an item of the kind that the source is. */
export function create(
  perch: Perch,
  source: Source,
  settings: CreateSettings,
  call: { ownerToken: string; onProgress: OnProgress },
): Promise<Outcome> {
  const { format, entry, ...common } = settings;
  const options = { ...defined(common), ...call };
  if (source.kind === 'json')
    return jsonOf(source.content).then((text) => perch.json.createText(text, options));
  if (source.kind === 'file')
    return perch.files.create(source.content, { ...options, filename: source.filename });
  if (source.kind === 'site')
    return perch.sites.create(source.content, { ...options, ...defined({ entry }) });
  const { content, contentType, filename } = source;
  const page = defined({ format: format ?? source.format, filename });
  return perch.pages.create(content, { ...options, ...page, contentType });
}

const jsonOf = async (content: Blob): Promise<string> => utf8Of(await content.arrayBuffer(), 'The JSON');

/** Replaces the content of an item of the same kind; a file, which cannot be changed, by a new one at its address. */
export async function replace(
  perch: Perch,
  item: ItemRef,
  source: Source,
  settings: CreateSettings,
  call: { ownerToken: string | undefined; onProgress: OnProgress },
): Promise<Outcome> {
  if (source.kind === 'html') {
    const { content, contentType } = source;
    return perch.pages.update(item, content, { ...call, contentType, ...defined({ title: settings.title }) });
  }
  if (source.kind === 'json') return perch.json.updateText(item, await jsonOf(source.content), call);
  if (source.kind === 'site') {
    const { entry, title, tags, ttl } = settings;
    return perch.sites.replace(item, source.content, { ...call, ...defined({ entry, title, tags, ttl }) });
  }
  const listed = (await perch.files.list({ ns: item.namespace, ownerToken: call.ownerToken })).find(
    ({ id }) => id === item.id,
  );
  if (listed?.hasPassword === true && settings.password === undefined)
    throw new CommandError(
      `${item.namespace}/${item.id} has a password, and would be made anew without one. Give it with --password.`,
    );
  const former = await (await perch.files.read(item, { ownerToken: call.ownerToken })).blob();
  // One that the operator has hidden is in no list.
  if (listed === undefined)
    throw new CommandError(
      `${item.namespace}/${item.id} is not in the list of what you own: it is not yours, or it is hidden, and would be made anew without its password, tags and days.`,
      EXIT.notAllowed,
    );
  await requireUploads(perch);
  await perch.files.remove(item, call);
  const daysLeft = daysUntil(listed.expiresAt);
  const make = async (content: UploadSource, filename: string, kept: CreateSettings, days: string) => {
    const create = (ttl: string) =>
      perch.files.create(content, {
        ...{ ...defined({ ...settings, ...kept, ttl, ...OF_OTHER_KINDS }), ...call },
        ...{ ns: item.namespace, id: item.id, filename },
      });
    return await create(days).catch((error: unknown) => {
      // The file of an owner who may give no such life any more is gone by now: the longest that everybody may.
      if (error instanceof PerchError && error.code === 'TTL_INVALID' && days !== settings.ttl)
        return create(String(LONGEST_DAYS));
      throw error;
    });
  };
  try {
    return await make(source.content, source.filename, keptOf(listed, settings), settings.ttl ?? daysLeft);
  } catch (error) {
    await make(former, listed.filename, keptOf(listed, {}), daysLeft).catch((again: unknown) => {
      throw new CommandError(
        `${item.namespace}/${item.id} is gone: neither the new file was taken (${messageOf(error)}) nor the former one (${messageOf(again)}). Publish it again.`,
        EXIT.unavailable,
      );
    });
    throw error;
  }
}

/** Uploads that a replacement takes at the most: the new file, and the former one again when the new one is refused. */
const UPLOADS = 2;

/** @throws CommandError, before anything is removed, when the client has too few uploads left */
async function requireUploads(perch: Perch): Promise<void> {
  const window = (await perch.limits()).windows.find(({ name }) => name === 'uploads');
  if (window === undefined || window.remaining === null || window.remaining >= UPLOADS) return;
  throw new CommandError(
    `A file is removed and made anew, for which ${UPLOADS} uploads have to be left, and ${window.remaining} are. It stays as it is. Try again in ${window.resetSeconds} s.`,
    EXIT.limited,
  );
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const OF_OTHER_KINDS = { format: undefined, entry: undefined };

/** Days that everybody may give. */
const LONGEST_DAYS = 30;

/** Tags and title that a file made anew takes over; a title that is its name follows the name. */
function keptOf(
  listed: { tags: string[]; title: string | null; filename: string },
  { tags, title }: CreateSettings,
): Pick<CreateSettings, 'tags' | 'title'> {
  const named = listed.title === listed.filename ? undefined : listed.title;
  return { tags: tags ?? listed.tags, title: title ?? named ?? undefined };
}

/** @throws CommandError for an answer that says of no item where it is, as a proxy or another service may give */
export function requireOutcome(answer: Partial<Outcome> | null): void {
  const said: unknown[] = [answer?.namespace, answer?.id, answer?.url];
  if (said.every((one) => typeof one === 'string' && one !== '')) return;
  throw new CommandError(
    'The server has answered without saying where the item is. It may be no Perch, or something in front of it has answered.',
    EXIT.unavailable,
  );
}

/** An answer for `--json`, without the owner token: that is a secret, which `perch token` tells. */
export function printable(outcome: Outcome & { ownerToken?: string }): Outcome {
  const { ownerToken: _, ...answer } = outcome;
  return answer;
}

export const isGone = (error: unknown): boolean =>
  error instanceof PerchError && (error.status === 404 || error.status === 410);

/** @param earlier what was known of the item that was replaced: answers to updates do not say whether it has a password */
export const recordOf = (source: Source, outcome: Outcome, earlier: Published | null): Published => {
  const { namespace, id, url, hasPassword = earlier?.hasPassword ?? false } = outcome;
  return { kind: source.kind, namespace, id, url, ...(hasPassword ? { hasPassword } : {}) };
};

/** Whole days that are left, as many as are begun. */
function daysUntil(expiresAt: string): string {
  const days = Math.ceil((Date.parse(expiresAt) - Date.now()) / 86_400_000);
  return String(Math.max(1, days));
}

/** Without what is not given: an option that is there has a value. */
function defined<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
