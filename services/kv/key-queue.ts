import { isLate, rejectLate, type WaitingWrite } from '../../shared/items/group-commit.ts';
import { PerchError } from '../../shared/perch-error.ts';

/**
 * Commits what waits for one key together, one commit after the other. Returns the function that adds a write.
 * @param subject names its writes in errors
 * @param commit writes a group in one transaction, and answers each write. When it throws, nobody was answered.
 */
export function createKeyQueue<W extends WaitingWrite>(
  subject: string,
  commit: (group: W[]) => Promise<void>,
): (name: string, waiting: W) => void {
  const queues = new Map<string, W[]>();
  const run = async (name: string): Promise<void> => {
    for (;;) {
      const group = queues.get(name) ?? [];
      if (group.length === 0) break;
      queues.set(name, []);
      const inTime = rejectLate(group, subject);
      if (inTime.length === 0) continue;
      try {
        await commit(inTime);
      } catch (error) {
        // The transaction has ended by the earliest of their deadlines: the other writes still have time.
        if (inTime.some(isLate) && error instanceof PerchError && !error.mayBeDone)
          queues.set(name, [...rejectLate(inTime, subject), ...(queues.get(name) ?? [])]);
        else for (const { reject } of inTime) reject(error);
      }
    }
    queues.delete(name);
  };
  return (name, waiting) => {
    const queue = queues.get(name);
    if (queue !== undefined) {
      queue.push(waiting);
      return;
    }
    queues.set(name, [waiting]);
    setImmediate(() => void run(name));
  };
}
