import { networkOf } from '../http/client.ts';

/** An event on its way to several readers: its bytes are shared until they are sent. */
export interface OutgoingEvent {
  bytes: Uint8Array;
  /** How many streams of each client hold it back because their readers have not taken the one before. */
  heldBy: Map<string, number>;
}

const encoder = new TextEncoder();

export const outgoing = (text: string): OutgoingEvent => ({
  bytes: encoder.encode(text),
  heldBy: new Map(),
});

/**
 * Memory for events, which clients share: one may have as much of it as is left free for all others (as in `FairBudget`),
 * so that nobody's readers who take nothing keep events from those of others.
 *
 * Bun copies what a stream sends until the reader has taken it, so at most `sending` bytes are sent at once and not taken,
 * over all streams; the others wait. Events that wait are kept once for all who wait for them, `held` bytes together: of a
 * client that holds more than its share, streams whose readers take nothing are cut off.
 */
export interface EventRoom {
  /** Takes room to send so many bytes, or calls back, in the order of asking, when it is worth another attempt. */
  take(client: string, bytes: number, again: () => void): boolean;
  giveBack(client: string, bytes: number): void;
  /** Takes out a stream that wants no room any more. */
  leave(client: string, again: () => void): void;
  hold(client: string, event: OutgoingEvent): void;
  letGo(client: string, event: OutgoingEvent): void;
  /** Whether events that wait for readers of this client take more than its share. */
  isFull(client: string): boolean;
}

const EVENT_ROOM = { sending: 64 * 1_048_576, held: 64 * 1_048_576 };

export function createEventRoom({ sending, held } = EVENT_ROOM): EventRoom {
  const [sent, kept] = [createShares(sending), createShares(held)];
  /** Waiting streams by client, in the order in which they began to wait. */
  const waiting = new Map<string, Set<() => void>>();

  /** Whether the last who found no room had more than its share: others may find some. */
  let isShareUsed = false;

  const leave = (client: string, again: () => void): void => {
    const queue = waiting.get(client);
    queue?.delete(again);
    if (queue?.size === 0) waiting.delete(client);
  };

  return {
    take(client, bytes, again) {
      // One event alone may be larger than the room.
      if (sent.total() > 0 && !sent.fits(client, bytes)) {
        isShareUsed = sent.leaves(2 * bytes);
        const queue = waiting.get(client) ?? new Set();
        waiting.set(client, queue.add(again));
        return false;
      }
      sent.add(client, bytes);
      leave(client, again);
      return true;
    },
    giveBack(client, bytes) {
      sent.add(client, -bytes);
      for (const queue of waiting.values()) {
        for (const again of queue) {
          again();
          // Without room for this one the client's others wait on, too; without room for anybody, all do.
          if (queue.has(again) && !isShareUsed) return;
          if (queue.has(again)) break;
        }
      }
    },
    leave,
    hold(client, event) {
      const streams = event.heldBy.get(client) ?? 0;
      event.heldBy.set(client, streams + 1);
      if (streams === 0) kept.add(client, event.bytes.length, event.heldBy.size === 1);
    },
    letGo(client, event) {
      const streams = event.heldBy.get(client) ?? 0;
      if (streams > 1) {
        event.heldBy.set(client, streams - 1);
        return;
      }
      event.heldBy.delete(client);
      kept.add(client, -event.bytes.length, event.heldBy.size === 0);
    },
    isFull: (client) => !kept.fits(client, 0),
  };
}

interface Shares {
  total(): number;
  /** Whether nobody's share keeps so much more from being taken. */
  leaves(amount: number): boolean;
  /** Whether a client may take so much more. */
  fits(client: string, amount: number): boolean;
  /** @param counts whether the total changes, too: what clients share is there once */
  add(client: string, amount: number, counts?: boolean): void;
}

/** Counts what clients have of a room. Clients of one IPv6 /48 count as one. */
function createShares(size: number): Shares {
  const byOwner = new Map<string, number>();
  let total = 0;
  const ownerOf = (client: string): string => networkOf(client) ?? client;
  const leaves = (amount: number): boolean => total + amount <= size;
  return {
    total: () => total,
    leaves,
    fits: (client, amount) => leaves(2 * amount + (byOwner.get(ownerOf(client)) ?? 0)),
    add(client, amount, counts = true) {
      const owner = ownerOf(client);
      const now = (byOwner.get(owner) ?? 0) + amount;
      if (now === 0) byOwner.delete(owner);
      else byOwner.set(owner, now);
      if (counts) total += amount;
    },
  };
}
