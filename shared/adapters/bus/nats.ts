import type { Msg, NatsConnection } from 'nats';
import { within } from '../../deadline.ts';
import { errors } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { assertFits, type Bus } from '../../ports/bus.ts';
import { connectToNats, createInboxFor } from '../nats-connection.ts';
import { createNatsReplies } from './nats-replies.ts';
import { createNatsRequests } from './nats-requests.ts';

export interface NatsBusOptions {
  url: string;
  /** Shown in the server's connection list. */
  name: string;
  /** Stops the start when the server's own limit is lower (it is 1 MB unless configured). */
  minPayloadBytes: number;
  log: Logger;
}

/**
 * The bus over a NATS server or cluster. Reconnects for ever. When the connection is lost requests under way fail, and so
 * do those made meanwhile, except for the first seconds of the outage (`RequestOptions.waits`).
 */
export async function createNatsBus({ url, name, minPayloadBytes, log }: NatsBusOptions): Promise<Bus> {
  const connection = await connectToNats(url, name);
  const maxPayloadBytes = connection.info?.max_payload ?? 0;
  if (maxPayloadBytes < minPayloadBytes) {
    await connection.close();
    throw new Error(
      `the NATS server takes messages of at most ${maxPayloadBytes} bytes; set max_payload to ${minPayloadBytes} (see infra/nats.conf)`,
    );
  }
  const requests = createNatsRequests(connection, createInboxFor(url), log);
  const replies = createNatsReplies(connection, maxPayloadBytes, log);
  const returnListeners: Array<() => void> = [];
  let isConnected = true;
  void watch(connection, log, (connected) => {
    isConnected = connected;
    if (connected) requests.resume();
    else requests.suspend();
    if (connected) for (const listener of returnListeners) listener();
  });

  return {
    maxPayloadBytes,
    async request(subject, payload, options) {
      assertFits(payload, maxPayloadBytes);
      return await requests.send(subject, payload, options);
    },
    async serve(subject, queue, handler) {
      const underWay = new Set<Promise<void>>();
      const take = (message: Msg): void => {
        for (const { index, bytes } of replies.requestsOf(message)) {
          const job = handler(bytes)
            .then((reply) => replies.send(message, index, reply))
            .catch((error: unknown) => log.error({ error, subject }, 'a reply could not be sent'))
            .finally(() => underWay.delete(job));
          underWay.add(job);
        }
      };
      const subscription = connection.subscribe(subject, {
        queue,
        callback(error, message) {
          try {
            if (error !== null) throw error;
            take(message);
          } catch (fault) {
            log.error({ error: fault, subject }, 'a message could not be read');
          }
        },
      });
      await connection.flush();
      return {
        async drain() {
          if (!connection.isClosed() && !subscription.isClosed()) await subscription.drain();
          await Promise.all(underWay);
          replies.flush();
          // On a lost connection the replies are lost, too; their requesters know already.
          await connection.flush().catch(() => undefined);
        },
      };
    },
    publish(subject, payload) {
      // The client would keep it for later, without a bound.
      if (!isConnected || payload.length > maxPayloadBytes) return;
      try {
        connection.publish(subject, payload);
      } catch (error) {
        log.debug({ error, subject }, 'a publication was not sent');
      }
    },
    async listen(subject, handler) {
      const subscription = connection.subscribe(subject, {
        callback(error, message) {
          if (error === null) handler(message.data);
          else log.error({ error, subject }, 'a publication could not be read');
        },
      });
      try {
        await connection.flush();
      } catch (error) {
        // The client would keep it, and take it up again when the server is back.
        subscription.unsubscribe();
        throw error;
      }
      return {
        async drain() {
          if (!connection.isClosed() && !subscription.isClosed()) subscription.unsubscribe();
        },
      };
    },
    onReturn: (listener) => void returnListeners.push(listener),
    async check() {
      const answer = within(connection.rtt(), 1_000, () => new Error('no answer in 1000 ms'));
      await answer.catch((error: unknown) => {
        throw errors.unavailable('message bus', error);
      });
    },
    async close() {
      await connection.close();
      requests.close();
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
