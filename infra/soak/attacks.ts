import { openSlowConnections, type RunningConnections, type SlowConnections } from './slow-connections.ts';

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
    ...{ drip: 'x', sips: false, everyMs: 10_000 },
  },
});

/** Pages as JSON of a length that is not announced, a byte at a time: they hold room in memory. */
export const slowPages = (client: string, count: number): Attack => ({
  name: 'slow pages',
  connections: {
    count,
    opening: `${head('POST /api/html', client, ['Content-Type: application/json', CHUNKED])}${BYTE}`,
    ...{ drip: BYTE, sips: false, everyMs: 10_000 },
  },
});

/** Sites of a length that is not announced, a byte at a time: they hold room on the disk. */
export const slowSites = (client: string, count: number): Attack => ({
  name: 'slow sites',
  connections: {
    count,
    opening: `${head('POST /api/sites', client, ['Content-Type: application/zip', CHUNKED])}${BYTE}`,
    ...{ drip: BYTE, sips: false, everyMs: 10_000 },
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
