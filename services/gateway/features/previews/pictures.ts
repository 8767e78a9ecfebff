import { LRUCache } from 'lru-cache';
import { createCountingSemaphore } from '../../../../shared/counting-semaphore.ts';
import { errors } from '../../../../shared/errors.ts';
import { loadTextRenderer, type TextRenderer } from '../../../../shared/pictures/text-renderer.ts';
import { createSingleFlight } from '../../../../shared/single-flight.ts';
import { createFairBudget } from '../../admission/fair-budget.ts';
import { CARD, type Card, cardNode } from './card.ts';

export interface CardPictures {
  /**
   * The PNG under a key, drawn once as long as it is kept; `null` when the client has its share of those that are being
   * drawn, or there is no time.
   * @param client its key in limits and budgets
   */
  draw(client: string, key: string, card: () => Promise<Card>): Promise<Uint8Array | null>;
}

/** Pictures are about 25 KB. */
const KEPT_BYTES = 16 * 1_048_576;
/** A picture takes 10 to 30 ms of a thread beside the event loop. */
const AT_ONCE = 2;
/** Requests that wait for a picture, shared by client: one alone gets half. */
const MOST_WAITING = 36;
const LIMIT_MS = 3_000;

/** Draws cards. The renderer takes some 20 MB: the first picture loads it. */
export function createCardPictures(): CardPictures {
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ length }) => length + 512,
  });
  const share = createSingleFlight<Uint8Array | null>();
  const permits = createCountingSemaphore(AT_ONCE);
  const places = createFairBudget({ total: MOST_WAITING, refuse: () => errors.refused('pictures') });
  let renderer: Promise<TextRenderer> | null = null;

  async function render(key: string, card: () => Promise<Card>): Promise<Uint8Array | null> {
    if (!(await permits.acquire(LIMIT_MS))) return null;
    try {
      renderer ??= loadTextRenderer();
      const node = cardNode(await card());
      const signal = AbortSignal.timeout(LIMIT_MS);
      const bytes = new Uint8Array(await (await renderer).render(node, { ...CARD, format: 'png', signal }));
      kept.set(key, bytes);
      return bytes;
    } finally {
      permits.release();
    }
  }

  return {
    async draw(client, key, card) {
      const known = kept.get(key);
      if (known !== undefined) return known;
      const place = places.open(client);
      try {
        return place.tryTake(1) ? await share(key, () => render(key, card)) : null;
      } finally {
        place.release();
      }
    },
  };
}
