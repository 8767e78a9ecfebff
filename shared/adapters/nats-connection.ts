import { connect, createInbox, type NatsConnection } from 'nats';

/**
 * Connects to a NATS server or cluster. The first attempt fails when none answers in three seconds; once made, the
 * connection is sought again for ever. `name` is shown in the server's connection list. A user and a password in `url`
 * are sent to the server, percent-decoded.
 */
export const connectToNats = (url: string, name: string): Promise<NatsConnection> =>
  connect({
    ...signIn(url),
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

/** The client takes no user from an address. */
function signIn(url: string) {
  const server = new URL(url);
  const { username, password } = server;
  if (username === '') return { servers: url };
  server.username = '';
  server.password = '';
  return {
    servers: server.href,
    user: decodeURIComponent(username),
    pass: decodeURIComponent(password),
    inboxPrefix: inboxPrefix(username),
  };
}

/** Each user has inboxes of its own, so that a server can keep users from one another's replies. */
const inboxPrefix = (user: string): string => `_INBOX.${user}`;

/** An address for replies to whoever connects with this URL. */
export function createInboxFor(url: string): string {
  const { username } = new URL(url);
  return createInbox(username === '' ? undefined : inboxPrefix(username));
}
