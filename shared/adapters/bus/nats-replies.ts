import { headers, type Msg, type NatsConnection, ServiceErrorCodeHeader, ServiceErrorHeader } from 'nats';
import type { Logger } from '../../logger.ts';
import { overLimit } from '../../ports/bus.ts';
import { cutIntoFrames, decodeFrame, encodeFrame, framedSize, type Part } from './nats-frame.ts';

/**
 * The address for the replies to a message. `gathered` behind it tells that the message is a frame, `count` how many
 * requests are in it; a message without that is a request by itself, whoever sent it.
 */
export const gatheredReplyTo = (inbox: string, first: number, count: number): string =>
  `${inbox}.gathered.${first}.${count}`;
const GATHERED_REPLY_TO = /\.gathered\.\d+\.\d+$/;

export interface NatsReplies {
  /** The requests of a message. @throws RangeError for a message that is not what it says to be */
  requestsOf(message: Msg): Part[];
  /** Replies to one of them. Replies to one message that are ready in one turn travel in one message. */
  send(message: Msg, index: number, reply: Uint8Array): void;
  /** Sends what waits for the end of its turn. */
  flush(): void;
}

export function createNatsReplies(
  connection: NatsConnection,
  maxPayloadBytes: number,
  log: Logger,
): NatsReplies {
  let waiting = new Map<string, Part[]>();

  const publish = (to: string, reply: Uint8Array): void => {
    if (reply.length <= maxPayloadBytes) connection.publish(to, reply);
    else connection.publish(to, new Uint8Array(0), { headers: refusalOf(reply.length, maxPayloadBytes) });
  };
  const sendFrames = (to: string, parts: Part[]): void => {
    for (const run of cutIntoFrames(parts, { parts: parts.length, bytes: maxPayloadBytes })) {
      const [part] = run;
      // With its place in the address a large reply needs no frame, which it may not fit in.
      if (part !== undefined && framedSize(part) > maxPayloadBytes)
        publish(`${to}.${part.index}`, part.bytes);
      else publish(to, encodeFrame(run));
    }
  };
  const flush = (): void => {
    const ready = waiting;
    waiting = new Map();
    for (const [to, parts] of ready) {
      try {
        sendFrames(to, parts);
      } catch (error) {
        log.error({ error }, 'replies could not be sent');
      }
    }
  };

  return {
    requestsOf(message) {
      return isGathered(message) ? decodeFrame(message.data) : [{ index: 0, bytes: message.data }];
    },
    send(message, index, reply) {
      const to = message.reply;
      if (to === undefined || to === '') return;
      if (!isGathered(message)) {
        publish(to, reply);
        return;
      }
      if (waiting.size === 0) setImmediate(flush);
      const parts = waiting.get(to);
      if (parts === undefined) waiting.set(to, [{ index, bytes: reply }]);
      else parts.push({ index, bytes: reply });
    },
    flush,
  };
}

const isGathered = ({ reply }: Msg): boolean => reply !== undefined && GATHERED_REPLY_TO.test(reply);

/** A reply that is too large travels as the error the NATS services protocol has for that: its sender must know. */
function refusalOf(bytes: number, maxPayloadBytes: number) {
  const refusal = headers();
  refusal.set(ServiceErrorCodeHeader, '413');
  refusal.set(ServiceErrorHeader, overLimit(bytes, maxPayloadBytes).message);
  return refusal;
}
