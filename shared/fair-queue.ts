import { steadyNow } from './deadline.ts';

/** A job in the queue. */
export interface Queued {
  /** The client that the job is for. */
  readonly client: string;
  /** The job's share of the queue's `size`. */
  readonly size: number;
}

interface QueueBounds {
  /**
   * Bounds of the waiting jobs: their number, and the sum of their sizes; a single job may be larger. A client gets
   * half of both.
   */
  readonly count: number;
  readonly size: number;
}

interface FairQueue<J extends Queued> {
  /** Whether there was room for it. */
  add(job: J): boolean;
  /** Takes the job whose turn it is: of the client with the fewest under way, and of these the one that has used least; `null`: none waits. */
  take(): J | null;
  /** Takes a job out of the queue that waits no longer. */
  leave(job: J): void;
  /** Tells of each job that was taken, and how long it took, in ms. */
  ended(job: J, tookMs: number): void;
  readonly length: number;
}

interface Lane<J> {
  jobs: J[];
  size: number;
  underWay: number;
  /** Time used, on the scale of `floor`. */
  usedMs: number;
}

/** Lanes without a job are forgotten beyond so many. */
const LANES = 1_000;

/**
 * A queue in which clients take turns by the time that their jobs take (start-time fair queueing). A client with costly
 * jobs waits for the jobs of others; theirs do not wait for its jobs. A client that comes, or comes back, begins where the one stands
 * whose turn it was last, so that nobody saves up turns.
 */
export function createFairQueue<J extends Queued>(bounds: QueueBounds): FairQueue<J> {
  const lanes = new Map<string, Lane<J>>();
  const all = { count: 0, size: 0 };
  let floor = 0;

  const laneOf = (client: string): Lane<J> => {
    let lane = lanes.get(client);
    if (lane === undefined) {
      lane = { jobs: [], size: 0, underWay: 0, usedMs: floor };
      lanes.set(client, lane);
    }
    return lane;
  };
  const count = ({ size }: J, lane: Lane<J>, by: 1 | -1): void => {
    all.count += by;
    all.size += by * size;
    lane.size += by * size;
  };
  const isIdle = ({ jobs, underWay }: Lane<J>): boolean => jobs.length === 0 && underWay === 0;
  /** Forgets clients that have used no more than their turn: they start like new ones. */
  const forget = (client: string, lane: Lane<J>): void => {
    if (isIdle(lane) && (lane.usedMs <= floor || lanes.size > LANES)) lanes.delete(client);
  };

  return {
    add(job) {
      const lane = laneOf(job.client);
      const fits = (part: { count: number; size: number }, share: number): boolean =>
        part.count < bounds.count * share &&
        (part.count === 0 || part.size + job.size <= bounds.size * share);
      if (!fits(all, 1) || !fits({ count: lane.jobs.length, size: lane.size }, 1 / 2)) {
        forget(job.client, lane);
        return false;
      }
      if (isIdle(lane)) lane.usedMs = Math.max(lane.usedMs, floor);
      lane.jobs.push(job);
      count(job, lane, 1);
      return true;
    },
    take() {
      let next: Lane<J> | null = null;
      for (const [client, lane] of lanes) {
        forget(client, lane);
        if (lane.jobs.length === 0) continue;
        const isBefore =
          next === null ||
          lane.underWay < next.underWay ||
          (lane.underWay === next.underWay && lane.usedMs < next.usedMs);
        if (isBefore) next = lane;
      }
      const job = next?.jobs.shift();
      if (next === null || job === undefined) return null;
      count(job, next, -1);
      next.underWay += 1;
      floor = Math.max(floor, next.usedMs);
      return job;
    },
    leave(job) {
      const lane = lanes.get(job.client);
      const place = lane?.jobs.indexOf(job) ?? -1;
      if (lane === undefined || place < 0) return;
      lane.jobs.splice(place, 1);
      count(job, lane, -1);
      forget(job.client, lane);
    },
    ended({ client }, tookMs) {
      const lane = lanes.get(client);
      if (lane === undefined) return;
      lane.underWay -= 1;
      lane.usedMs += tookMs;
      forget(client, lane);
    },
    get length() {
      return all.count;
    },
  };
}

/** How work asks for a permit. */
interface Turn {
  client: string;
  /** Longest wait. */
  limitMs: number;
  /** Makes the error for work that is turned away: too many wait, of this client or in all, or the wait was too long. */
  refuse(): Error;
}

/** Permits at which clients take turns by the time that they hold them. */
export interface FairSemaphore {
  /** Does work with a permit, when its turn has come. @throws the error of `refuse` for work that was not begun */
  run<T>(turn: Turn, work: () => Promise<T>): Promise<T>;
}

/** @param maxWaiting who waits beyond so many is turned away; a client may wait half as often */
export function createFairSemaphore(permits: number, maxWaiting: number): FairSemaphore {
  const queue = createFairQueue<Queued & { admit(): void }>({ count: maxWaiting, size: maxWaiting });
  let free = permits;

  function admitNext(): void {
    if (free === 0) return;
    const next = queue.take();
    if (next === null) return;
    free -= 1;
    next.admit();
  }

  /** @returns gives the permit back */
  const acquire = ({ client, limitMs, refuse }: Turn): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const asking = {
        client,
        size: 1,
        admit() {
          clearTimeout(timer);
          const since = steadyNow();
          resolve(() => {
            free += 1;
            queue.ended(asking, steadyNow() - since);
            admitNext();
          });
        },
      };
      const timer = setTimeout(() => {
        queue.leave(asking);
        reject(refuse());
      }, limitMs);
      if (queue.add(asking)) return admitNext();
      clearTimeout(timer);
      reject(refuse());
    });

  return {
    async run(turn, work) {
      const release = await acquire(turn);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
