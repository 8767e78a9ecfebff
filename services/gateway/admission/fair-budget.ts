import type { PerchError } from '../../../shared/perch-error.ts';
import { networkOf } from '../http/client.ts';

/**
 * Room that all clients of a process share: slots, or bytes. A client may hold as much as is left free for all others,
 * so one alone gets half, two get a third each, and there is always some for the next client. (Buffers in switches are
 * shared so, with "dynamic thresholds": Choudhury and Hahne, 1998.) The clients of one IPv6 /48 may together hold twice
 * as much as is left free.
 */
export interface FairBudget {
  /** A request's part of the room, nothing at first. @param client as `clientKey` names it */
  open(client: string): Holding;
  /** Room for one thing that several clients hold: taken once for all of them, and counted in the share of each. */
  share(amount: number): SharedHolding;
}

/** One request's part of a budget. */
export interface Holding {
  /** Takes more if that is within the client's share now; says whether it did. */
  tryTake(amount: number): boolean;
  /** Takes as much of it as is within the client's share now, in whole numbers. */
  takeUpTo(amount: number): void;
  /**
   * Takes more, and waits for its turn if that has to be.
   * @throws UNAVAILABLE when no room comes free in time
   */
  take(amount: number): Promise<void>;
  /** Gives everything back. More than once does no harm. */
  release(): void;
}

/** The part of a budget that one thing takes while anybody holds it. */
export interface SharedHolding {
  /**
   * Takes it for a client, any number of times, if that is within the client's share now; `null` if not.
   * @returns gives it back; more than once does no harm
   */
  tryTake(client: string): (() => void) | null;
}

export interface FairBudgetOptions {
  total: number;
  /**
   * How much of the total is for one holding at a time that has to go on when there is no room: at least the most that
   * one holding takes. Otherwise holdings that grow could all wait for one another. 0 where none grows.
   */
  reserve?: number;
  /** Makes the error for a caller that found no room in time. */
  refuse(): PerchError;
  /** Longest wait for room. */
  waitMs?: number;
}

/** The most that clients of one network hold together, as a multiple of the room that is left free. */
const NETWORK_SHARE = 2;

interface Waiting {
  /** Takes what it waits for, if that can be. */
  attempt(): boolean;
}

export function createFairBudget({
  total,
  reserve = 0,
  refuse,
  waitMs = 5_000,
}: FairBudgetOptions): FairBudget {
  /** Amounts by client, and by network. */
  const held = new Map<string, number>();
  /** Waiting requests by client, in the order in which they began to wait; of each, first come, first served. */
  const queues = new Map<string, Set<Waiting>>();
  let free = total - reserve;
  let reservedFor: Holding | null = null;

  const hold = (key: string, amount: number): void => {
    const now = (held.get(key) ?? 0) + amount;
    if (now === 0) held.delete(key);
    else held.set(key, now);
  };
  const fits = (key: string, amount: number, max: number): boolean => (held.get(key) ?? 0) + amount <= max;

  const enqueue = (client: string, waiting: Waiting): void => {
    const queue = queues.get(client) ?? new Set();
    queues.set(client, queue.add(waiting));
  };
  const leaveQueue = (client: string, waiting: Waiting): void => {
    const queue = queues.get(client);
    queue?.delete(waiting);
    if (queue?.size === 0) queues.delete(client);
  };
  const serveQueues = (): void => {
    for (const queue of queues.values()) for (const next of queue) if (!next.attempt()) break;
  };

  return {
    open(client) {
      const network = networkOf(client);
      let own = 0;
      let ownReserve = 0;
      let isOpen = true;

      const holding: Holding = {
        tryTake(amount) {
          const left = free - amount;
          if (!isOpen || !fits(client, amount, left)) return false;
          if (network !== null && !fits(network, amount, NETWORK_SHARE * left)) return false;
          free = left;
          own += amount;
          hold(client, amount);
          if (network !== null) hold(network, amount);
          return true;
        },
        takeUpTo(amount) {
          // The most for which `tryTake` still finds as much left free.
          const ofClient = (free - (held.get(client) ?? 0)) / 2;
          const ofNetwork =
            network === null
              ? ofClient
              : (NETWORK_SHARE * free - (held.get(network) ?? 0)) / (NETWORK_SHARE + 1);
          const max = Math.floor(Math.min(amount, ofClient, ofNetwork));
          if (max > 0) holding.tryTake(max);
        },
        async take(asked) {
          // An amount that is no number would be held for ever after.
          if (!(asked >= 0)) throw new RangeError(`There is no room of ${asked}.`);
          const amount = Math.min(asked, total);
          // An empty body needs no room, also when its client has more than its share.
          if (amount === 0 || holding.tryTake(amount) || takeReserve(amount)) return;
          await new Promise<void>((resolve, reject) => {
            const waiting: Waiting = {
              attempt() {
                if (!holding.tryTake(amount) && !takeReserve(amount)) return false;
                clearTimeout(timer);
                leaveQueue(client, waiting);
                resolve();
                return true;
              },
            };
            const timer = setTimeout(() => {
              leaveQueue(client, waiting);
              reject(refuse());
            }, waitMs);
            enqueue(client, waiting);
          });
        },
        release() {
          if (!isOpen) return;
          isOpen = false;
          if (reservedFor === holding) reservedFor = null;
          if (own > 0) {
            free += own;
            hold(client, -own);
            if (network !== null) hold(network, -own);
          }
          serveQueues();
        },
      };

      function takeReserve(amount: number): boolean {
        const isFor = reservedFor === null || reservedFor === holding;
        if (!isOpen || !isFor || ownReserve + amount > reserve) return false;
        reservedFor = holding;
        ownReserve += amount;
        return true;
      }
      return holding;
    },
    share(amount) {
      /** How often it is held, by client and by network. */
      const holders = new Map<string, number>();
      const change = (key: string, by: 1 | -1): void => {
        const times = (holders.get(key) ?? 0) + by;
        if (times === 0) holders.delete(key);
        else holders.set(key, times);
        if (times === 0) hold(key, -amount);
        else if (by === 1 && times === 1) hold(key, amount);
      };
      return {
        tryTake(client) {
          const network = networkOf(client);
          const left = holders.size === 0 ? free - amount : free;
          if (!holders.has(client) && !fits(client, amount, left)) return null;
          if (network !== null && !holders.has(network) && !fits(network, amount, NETWORK_SHARE * left))
            return null;
          free = left;
          change(client, 1);
          if (network !== null) change(network, 1);
          let isHeld = true;
          return () => {
            if (!isHeld) return;
            isHeld = false;
            change(client, -1);
            if (network !== null) change(network, -1);
            if (holders.size === 0) free += amount;
            serveQueues();
          };
        },
      };
    },
  };
}

/** A part of a budget for one request, given back when that ends. */
export function holdFor(
  context: { clientKey: string; onEnd(giveBack: () => void): void },
  budget: FairBudget,
): Holding {
  const holding = budget.open(context.clientKey);
  context.onEnd(() => holding.release());
  return holding;
}
