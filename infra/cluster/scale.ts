import { type Distributed, SERVICES, type ServiceCounts } from '../distributed.ts';

/** Starts or stops processes until there are so many of each service that is named; one change at a time. */
export function createScale(
  { processes, add, remove }: Pick<Distributed, 'processes' | 'add' | 'remove'>,
  say: (line: string) => void,
): { scale(counts: Partial<ServiceCounts>): Promise<void>; settled(): Promise<void> } {
  let last: Promise<void> = Promise.resolve();
  let closed = false;

  const change = async (counts: Partial<ServiceCounts>): Promise<void> => {
    for (const service of SERVICES) {
      const members = processes[service];
      const wanted = counts[service] ?? members.length;
      while (members.length < wanted && !closed) {
        await add(service);
        say(`${members.at(-1)?.name} has joined`);
      }
      while (members.length > wanted && !closed) {
        const name = members.at(-1)?.name;
        await remove(service);
        say(`${name} has left`);
      }
    }
  };
  return {
    async scale(counts) {
      const mine = last.then(() => change(counts));
      last = mine.catch(() => undefined);
      await mine;
    },
    /** Begins no more changes, and waits for the one under way. */
    async settled() {
      closed = true;
      await last;
    },
  };
}
