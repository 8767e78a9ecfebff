import { join } from 'node:path';
import { type ItemRef, type Perch, PerchContentError, PerchError, type Progress } from 'perch-client';
import { withTexts } from './answers.ts';
import { defined } from './defined.ts';
import type { Published } from './records.ts';
import { replaceFileItem } from './replace-file.ts';
import type { Source } from './source.ts';
import { unreadContent } from './unreadable.ts';
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

/** How an upload is sent. */
export interface Upload {
  ownerToken: string | undefined;
  onProgress: ((progress: Progress) => void) | undefined;
}

/** Fields that every create and update of the service answers with. */
export interface Outcome {
  namespace: string;
  id: string;
  url: string;
  expiresAt: string;
  /** Whether the item that was created has a password. */
  hasPassword?: boolean;
  /** How the upload of a page or a site went. */
  result?: { code: string; reason?: string; extras?: { localAssetRefs?: string[] } };
  quarantine?: { cause: string; verdict: string };
}

/** Creates an item of the kind that the source is. */
export function create(
  perch: Perch,
  source: Source,
  settings: CreateSettings,
  call: Upload & { ownerToken: string },
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

async function jsonOf(content: Blob): Promise<string> {
  const bytes = await content.arrayBuffer().catch((error: unknown) => {
    throw new PerchContentError(content, error);
  });
  return utf8Of(bytes, 'The JSON');
}

/**
 * Replaces the content of an item of the same kind; a file, which cannot be changed, by a new one at its address.
 * @param call with how to tell people what they should know
 */
export async function replace(
  perch: Perch,
  item: ItemRef,
  source: Source,
  settings: CreateSettings,
  { note, ...call }: Upload & { note(text: string): void },
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
  return replaceFileItem(perch, item, source, settings, { ...call, note });
}

/**
 * Sends what was read from a path.
 * @throws CommandError that names the file which could not be read to its end
 */
export const sending = <T>(path: string, source: Source, send: Promise<T>): Promise<T> =>
  send.catch(async (error: unknown) => {
    if (!(error instanceof PerchContentError)) throw error;
    throw await unreadContent(fileOf(path, source, error), error.cause);
  });

function fileOf(path: string, source: Source, { content }: PerchContentError): string {
  if (source.kind !== 'site' || 'archive' in source.content) return path;
  const file = [...source.content].find((one) => one.content === content);
  return file === undefined ? path : join(path, file.path);
}

/** @throws CommandError for an answer that says of no item where it is */
export const requireOutcome = (answer: Outcome): Outcome =>
  withTexts(answer, 'namespace', 'id', 'url', 'expiresAt');

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
