import { claimBlobs } from '../../../shared/items/blob-trash.ts';
import { putReserved } from '../../../shared/items/put-reserved.ts';
import { PerchError } from '../../../shared/perch-error.ts';
import type { Batch } from '../../../shared/sweep/batch.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { makePicture } from '../pictures/make-picture.ts';
import type { Picture } from '../pictures/shrink.ts';
import * as pictures from '../repository/pictures.ts';

/** Pictures of one batch, each of another client: a stop does not wait long for its end. */
const AT_ONCE = 2;

/** How long a picture is left to the process that took it, in ms: after its death another goes on. */
const LEASE_MS = 60_000;

/** Pause of a picture whose content could not be read, in ms. */
const RETRY_MS = 60_000;

/** An image that ends the process that reads it must not end the next one for ever. */
const MAX_TRIES = 3;

type Dependencies = Pick<ContentDependencies, 'sql' | 'blobs' | 'blobKeys' | 'clock' | 'log'>;

/**
 * Makes the pass that makes pictures for the gallery. Clients take turns: who has published a thousand images waits behind
 * everybody who has published one.
 */
export function createPictureMaking(deps: Dependencies): () => Promise<Batch> {
  const { sql, clock } = deps;
  let after = '';
  return async () => {
    const now = clock.now();
    const until = now + LEASE_MS;
    const wanted = await pictures.takeWantedPictures(sql, { after, now, until, limit: AT_ONCE });
    const last = wanted
      .map(({ client }) => client)
      .toSorted()
      .at(-1);
    const isRoundOver = last === undefined;
    const wasWithin = after !== '';
    after = last ?? '';
    for (const { code, tries } of wanted) await makeOne(deps, { code, until }, tries);
    return { done: wanted.length, more: isRoundOver ? wasWithin : true };
  };
}

async function makeOne(deps: Dependencies, taken: pictures.TakenPicture, tries: number): Promise<void> {
  const { sql, blobs, clock, log } = deps;
  const { code } = taken;
  const item = tries > MAX_TRIES ? null : await pictures.findPictured(sql, code, clock.now());
  if (item === null) return await pictures.giveUpPicture(sql, taken);
  try {
    const picture = await makePicture(blobs, item);
    if (picture === null) return await pictures.giveUpPicture(sql, taken);
    await keep(deps, code, item.content.blobKey, picture);
  } catch (error) {
    const isAway = error instanceof PerchError;
    log.warn({ error, code }, 'a picture for the gallery could not be made');
    if (isAway) await pictures.postponePicture(sql, taken, clock.now() + RETRY_MS);
  }
}

/** Keeps a picture if the item is still listed, with the content that it was made of; else its blob is swept. */
async function keep(
  deps: Dependencies,
  code: string,
  source: string,
  { bytes, width, height }: Picture,
): Promise<void> {
  const { sql, clock } = deps;
  const key = await putReserved(deps, bytes);
  await sql.begin(async (tx) => {
    const now = clock.now();
    const item = await pictures.findPictured(tx, code, now, true);
    if (item?.content.blobKey !== source) return;
    if (await pictures.keepPicture(tx, code, { key, width, height })) await claimBlobs(tx, [key], now);
  });
}
