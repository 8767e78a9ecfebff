import { isLate, rejectLate, type WaitingWrite } from '../../shared/items/group-commit.ts';
import { PerchError } from '../../shared/perch-error.ts';

interface KeyQueueOptions<W extends WaitingWrite> {
  /** Names its writes in errors. */
  subject: string;
  /** Does work in a turn of the client whose writes are given. @throws when the turn does not come: nothing was begun then */
  inTurn<T>(writes: readonly W[], work: () => Promise<T>): Promise<T>;
  /** Writes a group in one transaction. Returns a function that answers each write. */
  commit(group: W[]): Promise<() => Promise<void>>;
}

interface Queue<W> {
  writes: W[];
  /** The clients that ask for turns. */
  readonly clients: Set<string | undefined>;
}

/**
 * Commits what waits under one name together, one commit after the other. Each client asks for turns of its own. The one that has
 * a turn first commits for all, and those whose writes are made then give their turns on at once. Returns the function that adds a
 * write.
 */
export function createKeyQueue<W extends WaitingWrite>({
  subject,
  inTurn,
  commit,
}: KeyQueueOptions<W>): (name: string, waiting: W) => void {
  const queues = new Map<string, Queue<W>>();

  /** Rejects the writes that an error ends, and returns the others: it may be about those alone that have no time left. */
  const leftAfter = (error: unknown, writes: W[]): W[] => {
    if (writes.some(isLate) && error instanceof PerchError && !error.mayBeDone)
      return rejectLate(writes, subject);
    for (const { reject } of writes) reject(error);
    return [];
  };

  /** Returns a function that answers what was committed. */
  const commitAll = async (queue: Queue<W>): Promise<() => Promise<void>> => {
    let group = rejectLate(queue.writes.splice(0), subject);
    while (group.length > 0) {
      const writes = group;
      try {
        const answer = await commit(writes);
        return () =>
          answer().catch((error: unknown) => {
            for (const { reject } of writes) reject(error);
          });
      } catch (error) {
        group = leftAfter(error, writes);
      }
    }
    return async () => undefined;
  };

  const run = async (name: string, queue: Queue<W>, client: string | undefined): Promise<void> => {
    const ofClient = (): W[] => queue.writes.filter((write) => write.client === client);
    for (let asking = ofClient(); asking.length > 0; asking = ofClient()) {
      try {
        const answer = await inTurn(asking, () => commitAll(queue));
        await answer();
      } catch (error) {
        // The turn did not come. Turns of others may have been for some of the writes.
        const waiting = new Set(queue.writes);
        const failed = asking.filter((write) => waiting.has(write));
        const left = new Set(leftAfter(error, failed));
        for (const write of failed) if (!left.has(write)) waiting.delete(write);
        queue.writes = [...waiting];
      }
    }
    queue.clients.delete(client);
    if (queue.clients.size === 0) queues.delete(name);
  };

  return (name, waiting) => {
    const queue = queues.get(name) ?? { writes: [], clients: new Set() };
    queues.set(name, queue);
    queue.writes.push(waiting);
    const { client } = waiting;
    if (queue.clients.has(client)) return;
    queue.clients.add(client);
    setImmediate(() => void run(name, queue, client));
  };
}
