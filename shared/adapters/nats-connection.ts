import { connect, type NatsConnection } from 'nats';

/**
 * Connects to a NATS server or cluster. The first attempt fails when none answers in three seconds; once made, the
 * connection is sought again for ever. `name` is shown in the server's connection list.
 */
export const connectToNats = (url: string, name: string): Promise<NatsConnection> =>
  connect({
    servers: url,
    name,
    // The client's own resolver keeps an address for the whole of its time to live (600 s from Docker's name server),
    // whether or not a server still answers there. The operating system's is asked at each attempt instead.
    resolve: false,
    timeout: 3_000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: 5_000,
    maxPingOut: 2,
    // Otherwise the client makes an error, stack included, for each request in case it fails.
    noAsyncTraces: true,
  });
