import type { Server } from './server.ts';

/** Servers that are one service together. */
export interface ServerGroup {
  /** By it clients find whichever of them serves. */
  url: string;
  /** Each of them, in their order. */
  members: Server[];
  stop(): Promise<void>;
}

/** Starts servers at once; when one does not start, the others are stopped. */
export async function startGroup<Member extends Server>(
  starts: Array<() => Promise<Member>>,
): Promise<{ members: Member[]; stop(): Promise<void> }> {
  const outcomes = await Promise.allSettled(starts.map((start) => start()));
  const members = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const stop = async (): Promise<void> => void (await Promise.all(members.map((member) => member.stop())));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    await stop();
    throw failed.reason;
  }
  return { members, stop };
}
