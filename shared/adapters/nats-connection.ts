import { connect, createInbox, type NatsConnection } from 'nats';
import { parseServerList, type ServerList } from '../server-list.ts';

/**
 * A server that has stopped without closing its connections is given up after two pings without an answer, in ms. Of several
 * another one takes over, so it is noticed sooner.
 */
const PING_MS = { single: 5_000, several: 2_000 };

/**
 * Connects to a NATS server, or to one of a cluster: `url` may name several (`shared/server-list.ts`). The first attempt
 * fails when none answers in three seconds; once made, the connection is sought again for ever. `name` is shown in the
 * server's connection list. A user and a password in `url` are sent to the server, percent-decoded.
 */
export const connectToNats = (url: string, name: string): Promise<NatsConnection> => {
  const list = listOf(url);
  return connect({
    ...signIn(list),
    name,
    // The client's own resolver keeps an address for the whole of its time to live (600 s from Docker's name server),
    // whether or not a server still answers there. The operating system's is asked at each attempt instead.
    resolve: false,
    timeout: 3_000,
    maxReconnectAttempts: -1,
    // Otherwise the client gives up for good when a server refuses it a second time, be it weeks after the first.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 250,
    pingInterval: list.servers.length > 1 ? PING_MS.several : PING_MS.single,
    maxPingOut: 2,
    // Otherwise the client makes an error, stack included, for each request in case it fails.
    noAsyncTraces: true,
  });
};

function listOf(url: string): ServerList {
  const list = parseServerList(url);
  // `loadConfig` has refused it.
  if (list === null) throw new TypeError('NATS_URL is no address');
  return list;
}

/** The client takes no user from an address. */
function signIn({ protocol, username, password, servers: listed }: ServerList) {
  const servers = listed.map(({ host, port }) => {
    const name = host.includes(':') ? `[${host}]` : host;
    return `${protocol}//${name}${port === null ? '' : `:${port}`}`;
  });
  if (username === '') return { servers };
  return {
    servers,
    user: decodeURIComponent(username),
    pass: decodeURIComponent(password),
    inboxPrefix: inboxPrefix(username),
  };
}

/** Each user has inboxes of its own, so that a server can keep users from one another's replies. */
const inboxPrefix = (user: string): string => `_INBOX.${user}`;

/** An address for replies to whoever connects with this URL. */
export function createInboxFor(url: string): string {
  const { username } = listOf(url);
  return createInbox(username === '' ? undefined : inboxPrefix(username));
}
