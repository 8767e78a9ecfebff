import { globSync } from 'node:fs';
import { basename, join } from 'node:path';

/** The test files in a folder, in the order of their paths. */
export const filesOf = (folder: string): string[] =>
  globSync(`test/${folder}/**/*.test.ts`, { cwd: join(import.meta.dirname, '..') })
    .toSorted()
    .map((path) => `./${path}`);

/** Splits files into those that are named and the others. @throws Error when a name is no file's. */
export function split(files: string[], names: readonly string[]): { named: string[]; others: string[] } {
  const known = new Set(files.map(nameOf));
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`there is no test file ${unknown.join(', ')}`);
  const wanted = new Set(names);
  return {
    named: files.filter((path) => wanted.has(nameOf(path))),
    others: files.filter((path) => !wanted.has(nameOf(path))),
  };
}

/** `renew` of `./test/acceptance/renew.test.ts`. */
export const nameOf = (path: string): string => basename(path, '.test.ts');

/**
 * Acceptance files about what adapters have a part in: how items are made, found, counted, changed and ended, and what the
 * processes tell one another. `npm test` asks them of the distributed mode, and all others of the embedded one.
 */
export const OF_ADAPTERS = [
  // Every kind of item, through its life.
  ...['kinds-create', 'kinds-removal', 'kinds-views', 'repeated-creates', 'update'],
  // Bytes from the store and from the cache.
  ...['files-ranges', 'sites-versions'],
  // Keys, and those who follow them on another process.
  ...['kv-changes', 'kv-conditional', 'kv-polling', 'live-values'],
  // All items together.
  ...['gallery', 'owner', 'resolver'],
  // The access log.
  'access-events',
] as const;

/**
 * Other acceptance files about what differs between the modes: several processes, windows and records in the cache, bytes on their
 * way, what is told from one process to the others. `npm run test:full` asks them of the distributed mode, too; the rest is decided by the
 * request alone, or by the database, which both modes have: that goes through the distributed mode at night.
 */
export const OF_SECOND_MODE = [
  // Limits, and who is refused.
  ...['admin-password', 'blocklist', 'kinds-passwords', 'kinds-rate-limits', 'limits', 'one-client'],
  // Records of items in the cache, and how they end.
  ...['hidden-items', 'hot-reads', 'kinds-expiry', 'quarantine', 'renew', 'takedowns'],
  // Counters.
  ...['files-views', 'item-stats'],
  // Bytes on their way in and out.
  ...['content-length', 'files-broken', 'files-memory', 'sites-replace', 'size-limits'],
  // Keys, and those who follow them.
  ...['kv-hot-puts', 'kv-limits', 'kv-removal', 'kv-values', 'live-ends', 'live-slow-readers'],
  // Processes.
  ...['notifications', 'operations', 'restart'],
] as const;

/** Files of `npm run test:full` alone, as they take long. Above each group stands which tests of `npm test` ask for most of it. */
export const IN_FULL_ALONE = {
  acceptance: [
    // 50 uploads of 20 MB take 40 s, stores of 1,000 keys 38 s: the contract `kv-concurrency` holds the limit under writers at once.
    ...['files-memory', 'kv-key-limit'],
    // The unit tests of the ZIP reader damage archives, `files-broken` breaks uploads off, the attacks hold all that one client may.
    ...['broken-uploads', 'live-slow-readers', 'one-client', 'sites-damaged'],
    // `kinds-passwords` asks most of it of every kind.
    'passwords',
    // `embedded-start` and `embedded-kills` start on data that is there; `item-hosts` asks for addresses of items; the demo uses what
    // other files test.
    ...['base-url', 'demo', 'restart'],
    // A real Caddy and a real clamd: `item-hosts` asks what a proxy is told of names, `quarantine` all but the scanner itself, by links.
    ...['domain-certificates', 'scanning'],
    // `domains` and `item-hosts` ask for names and their pages, the fault `embedded-start` starts on all that a start meets.
    ...['domain-hosts', 'start'],
    // The contracts `renewal`, `totals`, `kv-concurrency`, `access-log-listing` and `item-pictures`, and the unit tests of the ZIP reader
    // and of conditions.
    ...['renew', 'stats', 'kv-limits', 'admin-access-queries', 'gallery-pictures', 'sites-archive'],
    'last-modified',
    // `kinds-rate-limits`, `takedown`, `reports`, `update` and `sites-versions`, `live-values`, `mcp` and `notifications`.
    ...['rate-limits', 'takedowns', 'reported-items', 'sites-replace', 'live-limits', 'mcp-large-results'],
    'notification-channels',
    // 10 to 25 s of a processor each: `item-hosts` asks for names and hosts, the unit tests of `request-log` for what is refused, those
    // of bodies and `files-limits` for limits.
    ...['hosting', 'refused-requests', 'size-limits'],
  ],
  browser: [
    // Hostile files are uploaded and read over HTTP, too, where their headers are compared; `active-content` and `isolation` ask in the
    // browser what these headers stop.
    ...['content-host', 'hostile-content-host', 'hostile-files', 'hostile-reads', 'neighbours'],
    // The acceptance tests ask for what pages are made of, and whom a quarantine is told; `own-pages` opens each page.
    ...['console', 'docs', 'docs-forms', 'domains', 'quarantine', 'stats-charts'],
    ...['file-viewer', 'gallery-pictures', 'viewers'],
    // More of what `home`, `own-pages` and `unlock` do, 100 s of a processor: the acceptance tests ask for the same answers over HTTP.
    ...['client', 'gallery', 'home-kinds', 'home-uploads', 'mine', 'protected-site', 'site'],
    ...['editor-kinds', 'editor-lost-answers', 'stats', 'store-page', 'top-bar'],
  ],
  contracts: [
    // A real clamd, which has to be installed first: `scanner` has its answers.
    'clamd',
    // A distributed Perch of its own: `grafana-dashboards` reads the files.
    'grafana-panels',
    // 20 to 30 s each: `backup` restores what it wrote, `migrate` runs every migration, `embedded-kills` kills the database with its process.
    ...['embedded-deaths', 'migration-crashes', 'restore', 'upgrade'],
    // Several servers of a kind, which have to be started, and to agree.
    ...['nats-cluster', 'redis-cluster', 'redis-sentinel', 'standby'],
    // 20 to 45 s each, of servers that the test starts, ends or pauses: the faults of `npm test` do so under load, `migrate` runs every
    // migration.
    ...['age', 'embedded', 'faults', 'nats-faults', 'restarts', 's3-transport', 'servers', 'tls'],
    'totals-migration',
  ],
  // More of the typed client, which has tests of its own; the command as one file is 100 MB to write and to start.
  clients: ['cli-binary', 'cli-domain', 'cli-items'],
  // They start what the files describe, and put load on it or end parts of it.
  deployment: ['image', 'kubernetes-redis', 'nginx', 'proxy'],
} as const;

/** Browser files that go the way of a person from publishing to the end, of whoever owns an item and of the operator. */
export const JOURNEYS = ['console', 'editor', 'editor-kinds', 'home-kinds', 'mine'] as const;

/** Fault files of `npm test`: one for each class of fault. */
export const FAULT_CLASSES = [
  // A process killed while it writes, and while it starts.
  ...['embedded-kills', 'embedded-start'],
  // A server away.
  'redis-away',
  // Writes that come late or at once.
  ...['concurrent-changes', 'late-writes'],
] as const;

/** Fault files of an embedded Perch with servers of its own. They wait most of the time, so they run beside the other suites. */
export const OF_EMBEDDED = ['embedded-kills', 'embedded-start'] as const;

/** Fault files that share a cluster, of which most take another server away. */
export const ON_ONE_CLUSTER = ['live-values', 'nats-away', 'postgres-away', 's3-away'] as const;

/** Fault files that expect Perch to recover, to refuse, or to answer everything, within a time under load. Each runs alone: other clusters would take the processor it needs for that. */
export const IN_TIME = ['availability', 'backpressure', 'crashes', 'harness', 'members'] as const;

/** Other faults go file by file, so that all lanes end together; those that take about a minute first. */
export const LONG_FAULTS = [
  ...['backup', 'embedded-kills', 'gone-back', 'kv-crashes', 'nothing-survives', 'notification-kills'],
  ...['owner-takedown', 'site-crashes', 'views-snapshot'],
] as const;
