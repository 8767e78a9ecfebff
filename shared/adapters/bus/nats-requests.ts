import { type Msg, type NatsConnection, ServiceErrorCodeHeader, ServiceErrorHeader } from 'nats';
import { type Batcher, createBatcher } from '../../batcher.ts';
import { errors } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type { PerchError } from '../../perch-error.ts';
import type { RequestOptions } from '../../ports/bus.ts';
import { decodeFrame, encodeFrame, framedSize } from './nats-frame.ts';
import { createOutage } from './nats-outage.ts';
import { gatheredReplyTo } from './nats-replies.ts';

/** The most that travels in one message. The number is small, as one member of the queue group gets all of them. */
const MESSAGE = { count: 32, size: 262_144 };
/** Larger requests cost more for their bytes than for their message. */
const GATHERED_BYTES = 65_536;

/** The status of a message that the server sends in place of a reply (NATS, "no responders"). */
const NO_RESPONDERS = 503;

/** A request under way. */
interface Asked {
  subject: string;
  bytes: Uint8Array;
  options: RequestOptions;
  resolve(reply: Uint8Array): void;
  reject(reason: Error): void;
  timer: Timer;
  /** The request's number while it is under way, under which its reply arrives. */
  number: number | null;
  isSettled: boolean;
  /**
   * Tells the batcher that the message with this request has an answer, or will get none; `null` for one that left without.
   */
  answered: (() => void) | null;
}

export interface NatsRequests {
  send(subject: string, payload: Uint8Array, options: RequestOptions): Promise<Uint8Array>;
  /** The connection is lost: what was sent fails, and what was not waits if it may. */
  suspend(): void;
  /** Sends the requests that waited for the connection to come back. */
  resume(): void;
  /** Fails all that are under way. */
  close(): void;
}

/**
 * Sends requests, with one subscription for all replies, which go to `inbox`. The NATS client can do this, too, but sends
 * each request as a message of its own, which costs the sender, the server and the service more than the request in it.
 */
export function createNatsRequests(connection: NatsConnection, inbox: string, log: Logger): NatsRequests {
  const underWay = new Map<number, Asked>();
  /** Batchers by subject. */
  const batchers = new Map<string, Batcher<Asked>>();
  let sent = 0;

  const settle = (asked: Asked): boolean => {
    if (asked.isSettled) return false;
    asked.isSettled = true;
    clearTimeout(asked.timer);
    outage.leave(asked);
    asked.answered?.();
    if (asked.number !== null) underWay.delete(asked.number);
    return true;
  };
  const fail = (asked: Asked, reason: Error): void => {
    if (settle(asked)) asked.reject(reason);
  };
  const take = (number: number, outcome: (asked: Asked) => void): void => {
    // The number of a request that was given up meanwhile is unknown.
    const asked = underWay.get(number);
    if (asked !== undefined) outcome(asked);
  };
  const resolve = (number: number, reply: Uint8Array): void =>
    take(number, (asked) => {
      if (settle(asked)) asked.resolve(reply);
    });

  const awayError = (): PerchError => errors.unavailable('message bus');
  /** Requests that were sent may have been performed all the same. */
  const cutOff = (): void => {
    for (const asked of [...underWay.values()]) fail(asked, errors.cutOff('message bus'));
  };
  const waitOrFail = (asked: Asked, reason: () => PerchError): void => {
    if (asked.isSettled) return;
    asked.answered?.();
    if (asked.number !== null) underWay.delete(asked.number);
    asked.number = null;
    if (!asked.options.waits || !outage.wait(asked)) fail(asked, reason());
  };

  const publish = (run: Asked[], payload: Uint8Array, replyTo: (first: number) => string): void => {
    if (outage.isLost()) {
      for (const asked of run) waitOrFail(asked, awayError);
      return;
    }
    const first = sent + 1;
    for (const asked of run) {
      asked.number = ++sent;
      underWay.set(asked.number, asked);
    }
    try {
      const [{ subject } = { subject: '' }] = run;
      connection.publish(subject, payload, { reply: replyTo(first) });
    } catch (error) {
      for (const asked of run) fail(asked, errors.unavailable('message bus', error));
    }
  };
  const sendAlone = (asked: Asked): void =>
    publish([asked], asked.bytes, (number) => `${inbox}.alone.${number}`);
  const sendTogether = (requests: Asked[], answered: () => void): void => {
    for (const asked of requests) asked.answered = answered;
    const [only] = requests;
    if (requests.length === 1 && only !== undefined) sendAlone(only);
    else {
      const frame = encodeFrame(requests.map(({ bytes }, index) => ({ index, bytes })));
      publish(requests, frame, (first) => gatheredReplyTo(inbox, first, requests.length));
    }
  };
  const batcherFor = (subject: string): Batcher<Asked> => {
    let batcher = batchers.get(subject);
    if (batcher === undefined) {
      batcher = createBatcher<Asked>({
        max: MESSAGE,
        sizeOf: framedSize,
        send: sendTogether,
        isGone: ({ isSettled }) => isSettled,
      });
      batchers.set(subject, batcher);
    }
    return batcher;
  };

  const dispatch = (asked: Asked): void => {
    const { bytes, options, subject } = asked;
    if (outage.isLost() || !options.gather || bytes.length > GATHERED_BYTES) sendAlone(asked);
    else batcherFor(subject).add(asked);
  };
  const outage = createOutage<Asked>(dispatch, (asked) => fail(asked, awayError()));

  /** A message to `alone.<number>`, `gathered.<first>.<count>`, or, with one reply, `gathered.<first>.<count>.<index>`. */
  const receive = (message: Msg): void => {
    const [kind, first, count, index] = message.subject.slice(inbox.length + 1).split('.');
    const number = Number(first) + Number(index ?? 0);
    if (isUnanswered(message)) {
      for (let n = number; n < number + Number(count ?? 1); n++) {
        take(n, (asked) => waitOrFail(asked, () => errors.unavailable(`nobody serves ${asked.subject}`)));
      }
    } else if (kind === 'gathered' && index === undefined) {
      for (const part of decodeFrame(message.data)) resolve(number + part.index, part.bytes);
    } else {
      const refusal = refusalIn(message);
      if (refusal === null) resolve(number, message.data);
      else take(number, (asked) => fail(asked, refusal));
    }
  };
  connection.subscribe(`${inbox}.>`, {
    callback(error, message) {
      try {
        if (error !== null) throw error;
        receive(message);
      } catch (fault) {
        log.error({ error: fault }, 'a reply could not be read');
      }
    },
  });

  return {
    send: (subject, payload, options) =>
      new Promise((resolveReply, reject) => {
        const asked: Asked = {
          subject,
          options,
          // A copy: the message leaves at the end of the tick or later, and the caller may reuse its buffer at once.
          bytes: payload.slice(),
          resolve: resolveReply,
          reject,
          timer: setTimeout(
            () => fail(asked, asked.number === null ? awayError() : errors.unanswered(subject)),
            options.timeoutMs,
          ),
          number: null,
          isSettled: false,
          answered: null,
        };
        dispatch(asked);
      }),
    suspend() {
      outage.begin();
      cutOff();
    },
    resume: () => outage.end(),
    close() {
      outage.close();
      for (const { takeAll } of batchers.values()) for (const asked of takeAll()) fail(asked, awayError());
      cutOff();
    },
  };
}

const isUnanswered = ({ headers, data }: Msg): boolean =>
  headers?.code === NO_RESPONDERS && data.length === 0;

/** The error of a reply that was too large to send; see `nats-replies.ts`. */
function refusalIn({ headers }: Msg): RangeError | null {
  if (headers?.get(ServiceErrorCodeHeader) !== '413') return null;
  return new RangeError(headers.get(ServiceErrorHeader));
}
