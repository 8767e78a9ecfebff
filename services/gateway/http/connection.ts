import type { Server } from 'bun';

/** The connection of a request, as long as its answer is under way. */
export interface Connection {
  /** Whether the answer has been sent whole, or its client is gone. */
  isOver(): boolean;
  /** Closes the connection as soon as its client takes nothing for a second. */
  hurry(): void;
}

/** Bun has no event for the end of an answer, but it knows no address for a request that is over. */
export const connectionOf = (
  request: Request,
  server: Pick<Server<unknown>, 'requestIP' | 'timeout'>,
): Connection => ({
  isOver: () => server.requestIP(request) === null,
  hurry: () => server.timeout(request, 1),
});
