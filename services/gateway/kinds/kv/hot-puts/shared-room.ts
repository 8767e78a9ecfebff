import type { FairBudget, Holding } from '../../../admission/fair-budget.ts';
import type { MemoryBudget } from '../../../admission/memory-budget.ts';

/** The slots and the memory that the requests of one client in one turn of the event loop hold together. */
export interface RoomOfClient {
  /** One request less; the last one gives everything back. */
  leave(): void;
}

/** Slots among the requests under way, and memory for bodies, for requests that come together. */
interface SharedRoom {
  /** Takes room for one more request, and its body of so many bytes; `null`: the client has its share already. */
  take(client: string, bytes: number): RoomOfClient | null;
  /** Starts a group: its requests hold their room apart from those before. */
  startGroup(): void;
}

interface Held extends RoomOfClient {
  slot: Holding;
  memory: Holding;
  requests: number;
}

/** A holding for each request would cost more than the rest of its admission. */
export function createSharedRoom({ slots, budget }: { slots: FairBudget; budget: MemoryBudget }): SharedRoom {
  let held = new Map<string, Held>();

  const open = (client: string): Held => {
    const own: Held = {
      slot: slots.open(client),
      memory: budget.small.open(client),
      requests: 0,
      leave() {
        own.requests -= 1;
        if (own.requests > 0) return;
        own.slot.release();
        own.memory.release();
        // A released holding takes nothing more.
        if (held.get(client) === own) held.delete(client);
      },
    };
    held.set(client, own);
    return own;
  };

  return {
    take(client, bytes) {
      const own = held.get(client) ?? open(client);
      own.requests += 1;
      if (own.slot.tryTake(1) && own.memory.tryTake(bytes)) return own;
      own.leave();
      return null;
    },
    startGroup() {
      held = new Map();
    },
  };
}
