import {
  connect,
  ErrorCode,
  headers,
  type Msg,
  type NatsConnection,
  NatsError,
  ServiceErrorCodeHeader,
  ServiceErrorHeader,
} from 'nats';
import { within } from '../deadline.ts';
import { errors, PerchError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { assertFits, type Bus, overLimit } from '../ports/bus.ts';

export interface NatsBusOptions {
  url: string;
  /** Shown in the server's connection list. */
  name: string;
  /** Stops the start when the server's own limit is lower (it is 1 MB unless configured). */
  minPayloadBytes: number;
  log: Logger;
}

/** The bus over a NATS server or cluster. Reconnects for ever; requests under way or made meanwhile fail at once. */
export async function createNatsBus({ url, name, minPayloadBytes, log }: NatsBusOptions): Promise<Bus> {
  const connection = await connect({
    servers: url,
    name,
    timeout: 3_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 5_000,
    maxPingOut: 2,
    // Otherwise the client makes an error, stack included, for each request in case it fails.
    noAsyncTraces: true,
  });
  const maxPayloadBytes = connection.info?.max_payload ?? 0;
  if (maxPayloadBytes < minPayloadBytes) {
    await connection.close();
    throw new Error(
      `the NATS server takes messages of at most ${maxPayloadBytes} bytes; set max_payload to ${minPayloadBytes} (see infra/nats.conf)`,
    );
  }
  let connected = true;
  const waiting = new Set<(reason: Error) => void>();
  void watch(connection, log, (state) => {
    connected = state;
    if (!connected) for (const giveUp of waiting) giveUp(errors.unavailable('message bus'));
  });

  return {
    maxPayloadBytes,
    async request(subject, payload, { timeoutMs }) {
      assertFits(payload, maxPayloadBytes);
      // A request on a lost connection would wait in the client's buffer; its sender should know now.
      if (!connected) throw errors.unavailable('message bus');
      const lost = Promise.withResolvers<never>();
      waiting.add(lost.reject);
      try {
        // The client sends at the end of the turn, and the caller may reuse its buffer at once: hence the copy.
        const asked = connection.request(subject, payload.slice(), { timeout: timeoutMs });
        return readReply(await Promise.race([asked, lost.promise]));
      } catch (error) {
        throw translate(error, subject);
      } finally {
        waiting.delete(lost.reject);
      }
    },
    async serve(subject, queue, handler) {
      const subscription = connection.subscribe(subject, { queue });
      const underWay = new Set<Promise<void>>();
      const consume = (async () => {
        for await (const message of subscription) {
          const job = handler(message.data)
            .then((reply) => respond(message, reply, maxPayloadBytes))
            .catch((error: unknown) => log.error({ error, subject }, 'a reply could not be sent'))
            .finally(() => underWay.delete(job));
          underWay.add(job);
        }
      })();
      await connection.flush();
      return {
        async drain() {
          if (!connection.isClosed() && !subscription.isClosed()) await subscription.drain();
          await consume;
          await Promise.all(underWay);
          // On a lost connection the replies are lost, too; their requesters know already.
          await connection.flush().catch(() => undefined);
        },
      };
    },
    async check() {
      const answer = within(connection.rtt(), 1_000, () => new Error('no answer in 1000 ms'));
      await answer.catch((error: unknown) => {
        throw errors.unavailable('message bus', error);
      });
    },
    async close() {
      await connection.close();
    },
  };
}

async function watch(
  connection: NatsConnection,
  log: Logger,
  report: (connected: boolean) => void,
): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect' || status.type === 'reconnect') {
      report(status.type === 'reconnect');
      log.warn({ server: connection.getServer() }, `message bus: ${status.type}`);
    }
  }
}

/** A reply that is too large travels as the error the NATS services protocol has for that: its sender must know. */
function respond(message: Msg, reply: Uint8Array, maxPayloadBytes: number): void {
  if (reply.length <= maxPayloadBytes) {
    message.respond(reply);
    return;
  }
  const refusal = headers();
  refusal.set(ServiceErrorCodeHeader, '413');
  refusal.set(ServiceErrorHeader, overLimit(reply.length, maxPayloadBytes).message);
  message.respond(new Uint8Array(0), { headers: refusal });
}

function readReply(reply: Msg): Uint8Array {
  if (reply.headers?.get(ServiceErrorCodeHeader) !== '413') return reply.data;
  throw new RangeError(reply.headers.get(ServiceErrorHeader));
}

function translate(error: unknown, subject: string): Error {
  if (error instanceof PerchError || error instanceof RangeError) return error;
  if (!(error instanceof NatsError)) return errors.unavailable('message bus', error);
  if (error.code === ErrorCode.Timeout) return errors.timeout(subject, error);
  if (error.code === ErrorCode.NoResponders) return errors.unavailable(`nobody serves ${subject}`, error);
  return errors.unavailable('message bus', error);
}
