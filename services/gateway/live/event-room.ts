/** An event on its way to several readers: its bytes are shared until they are sent. */
export interface OutgoingEvent {
  bytes: Uint8Array;
  /** Streams that hold it back because their readers have not taken the one before. */
  heldBy: number;
}

/**
 * Memory for events. Bun copies what a stream sends until the reader has taken it, so at most `sending` bytes are sent at
 * once and not taken, over all streams; the others wait. Events that wait are kept once for all who wait for them, `held` bytes
 * together: above it, streams whose readers take nothing are cut off.
 */
export interface EventRoom {
  /** Takes room to send so many bytes, or calls back, in the order of asking, when it is worth another attempt. */
  take(bytes: number, again: () => void): boolean;
  giveBack(bytes: number): void;
  /** For a stream that wants no room any more. */
  leave(again: () => void): void;
  hold(event: OutgoingEvent): void;
  letGo(event: OutgoingEvent): void;
  /** Whether more is held than there is room for. */
  readonly isFull: boolean;
}

export const EVENT_ROOM = { sending: 64 * 1_048_576, held: 64 * 1_048_576 };

export function createEventRoom({ sending, held } = EVENT_ROOM): EventRoom {
  let sent = 0;
  let kept = 0;
  const waiting = new Set<() => void>();

  return {
    take(bytes, again) {
      // One event alone may be larger than the room.
      if (sent > 0 && sent + bytes > sending) {
        waiting.add(again);
        return false;
      }
      sent += bytes;
      waiting.delete(again);
      return true;
    },
    giveBack(bytes) {
      sent -= bytes;
      for (const again of waiting) {
        if (sent >= sending) break;
        again();
        // There is room, but not enough for this one: it waits on, and the others behind it.
        if (waiting.has(again)) break;
      }
    },
    leave: (again) => void waiting.delete(again),
    hold(event) {
      if (event.heldBy === 0) kept += event.bytes.length;
      event.heldBy += 1;
    },
    letGo(event) {
      event.heldBy -= 1;
      if (event.heldBy === 0) kept -= event.bytes.length;
    },
    get isFull() {
      return kept > held;
    },
  };
}
