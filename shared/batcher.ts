import { turns } from './turns.ts';

/** Messages without an answer from which on further requests wait for one of the answers before they leave. */
const UNANSWERED = 2;

export interface BatcherOptions<R> {
  /** The most that goes into one message: in number, and in the sum of `sizeOf`. One that is larger goes alone. */
  max: { count: number; size: number };
  sizeOf(request: R): number;
  /** Whether it was given up meanwhile: then it does not leave. */
  isGone?(request: R): boolean;
  /** Longest that a request waits for others, in ms: whoever is asked may be slow with what it has. */
  waitMs?: number;
  /**
   * Turns of the event loop before a message leaves (1). More for requests of clients that were answered together and ask again:
   * they come over several turns, and a message for the first of them costs as much as one for all.
   */
  turnsToLeave?: number;
  /**
   * Sends a message of at least one request.
   * @param answered to be called with its first answer, or when none will come; further calls count for nothing
   */
  send(requests: R[], answered: () => void): void;
}

export interface Batcher<R> {
  add(request: R): void;
  /** Takes out all that has not left. */
  takeAll(): R[];
}

/**
 * Gathers requests into messages. Alone a request leaves at the end of its turn of the event loop (or `turnsToLeave` of
 * them), with those that were made until then; while two messages are unanswered it waits, for a moment, for the answer to
 * one of them. Under load one message therefore carries what would have left in many.
 */
export function createBatcher<R>(options: BatcherOptions<R>): Batcher<R> {
  const { max, sizeOf, isGone = () => false, waitMs = 2, turnsToLeave = 1, send } = options;
  let waiting: R[] = [];
  let size = 0;
  let unanswered = 0;
  let isLeaving = false;
  let timer: Timer | undefined;

  const take = (): R[] => {
    clearTimeout(timer);
    const taken = waiting;
    waiting = [];
    size = 0;
    isLeaving = false;
    timer = undefined;
    return taken;
  };
  const leave = (): void => {
    const ready = take().filter((request) => !isGone(request));
    for (const message of cut(ready)) {
      unanswered += 1;
      send(
        message,
        onlyOnce(() => {
          unanswered -= 1;
          leaveSoon();
        }),
      );
    }
  };
  /** Leaves at the end of its last turn: what is made until then goes along. */
  const leaveSoon = (): void => {
    if (isLeaving || waiting.length === 0) return;
    isLeaving = true;
    void turns(turnsToLeave).then(() => {
      if (isLeaving) leave();
    });
  };
  const cut = (requests: R[]): R[][] => {
    const messages: R[][] = [];
    let message: R[] = [];
    let full = 0;
    for (const request of requests) {
      const own = sizeOf(request);
      if (message.length > 0 && (message.length >= max.count || full + own > max.size)) {
        messages.push(message);
        message = [];
        full = 0;
      }
      message.push(request);
      full += own;
    }
    if (message.length > 0) messages.push(message);
    return messages;
  };

  return {
    add(request) {
      waiting.push(request);
      size += sizeOf(request);
      if (waiting.length >= max.count || size >= max.size || unanswered < UNANSWERED) leaveSoon();
      else timer ??= setTimeout(leave, waitMs);
    },
    takeAll: take,
  };
}

function onlyOnce(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
