import { backoffMs } from '../../../shared/backoff.ts';
import type { Clock } from '../../../shared/clock.ts';
import { PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { COMMIT_LAG_MS } from '../../../shared/items/repair-pass.ts';
import { advanceWatermark, lockWatermark } from '../../../shared/items/watermarks.ts';
import type { Logger } from '../../../shared/logger.ts';
import { messageOf } from '../../../shared/message-of.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { listedBetween } from '../gallery/lists.ts';

/** Whom to tell of new and changed items of the gallery, by the IndexNow protocol (indexnow.org). */
export interface IndexNowSettings {
  endpoint: string;
  key: string;
  /** Where the items are, without a slash at its end. The key's file is there, too. */
  itemsUrl: string;
}

/** Most addresses of one announcement; the protocol allows ten times as many. */
const MAX_URLS = 1_000;
/** Longest that the endpoint may take, in ms: other sweeps wait meanwhile. */
const ANSWER_LIMIT_MS = 5_000;
/** Pause after a failure, in ms, which doubles with each further one. */
const RETRY = { firstMs: 60_000, lastMs: 3_600_000 };

const WATERMARK = 'index-now';

interface Waiting {
  urls: string[];
  failures: number;
  /** When to try again, in ms since the epoch. */
  at: number;
}

/**
 * Makes the pass that announces listed items. The pass takes each item once, however many processes run it, and begins with
 * what changes after its first round. A batch that the endpoint does not take is tried again, later each time, and is lost
 * when the process ends: the sitemap has its items as well. Nothing further is taken before.
 */
export function createAnnouncements(
  deps: Pick<ContentDependencies, 'sql' | 'clock' | 'log'>,
  settings: IndexNowSettings,
): () => Promise<Batch> {
  const { clock, log } = deps;
  let waiting: Waiting | null = null;

  return async () => {
    if (waiting === null) {
      const urls = await takeChanged(deps, settings);
      if (urls.length === 0) return { done: 0, more: false };
      waiting = { urls, failures: 0, at: 0 };
    }
    if (waiting.at > clock.now()) return { done: 0, more: false };
    const { urls } = waiting;
    const failure = await post(settings, urls);
    if (failure === null) {
      waiting = null;
      return { done: urls.length, more: urls.length >= MAX_URLS };
    }
    waiting = laterOrNever(waiting, failure, { clock, log });
    return { done: 0, more: false };
  };
}

/** Addresses of items that have been listed, changed or shown again since the last batch. */
async function takeChanged(
  { sql, clock }: Pick<ContentDependencies, 'sql' | 'clock'>,
  { itemsUrl }: IndexNowSettings,
): Promise<string[]> {
  // No change of an earlier time can be committed any more.
  const until = clock.now() - COMMIT_LAG_MS;
  return await sql.begin(async (tx) => {
    const reached = await lockWatermark(tx, WATERMARK);
    if (reached === null || reached >= until) return [];
    const items = reached === 0 ? [] : await listedBetween(tx, reached, until, MAX_URLS);
    const last = items.length < MAX_URLS ? until : (items.at(-1)?.changedAt ?? until);
    await advanceWatermark(tx, WATERMARK, last);
    return items.map(({ id }) => `${itemsUrl}/${PUBLIC_NAMESPACE}/${id}`);
  });
}

interface Failure {
  /** `null`: no answer came. */
  status: number | null;
  message: string;
}

/** Announces addresses. Returns why that failed; `null`: it did not. */
async function post({ endpoint, key, itemsUrl }: IndexNowSettings, urls: string[]): Promise<Failure | null> {
  try {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json; charset=utf-8', 'User-Agent': 'Perch/1.0' },
      body: JSON.stringify({
        host: new URL(itemsUrl).host,
        key,
        keyLocation: `${itemsUrl}/${key}.txt`,
        urlList: urls,
      }),
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    await response.body?.cancel();
    return response.ok ? null : { status: response.status, message: response.statusText };
  } catch (error) {
    return { status: null, message: messageOf(error) };
  }
}

/** The batch with its next attempt; `null` for one that the endpoint does not want: it would not want it later. */
function laterOrNever(
  { urls, failures }: Waiting,
  { status, message }: Failure,
  { clock, log }: { clock: Clock; log: Logger },
): Waiting | null {
  const isRefused = status !== null && status >= 400 && status < 500 && status !== 429;
  const pauseMs = backoffMs(failures + 1, RETRY);
  log.warn({ status, message, urls: urls.length, isRefused }, 'changed items could not be announced');
  return isRefused ? null : { urls, failures: failures + 1, at: clock.now() + pauseMs };
}
