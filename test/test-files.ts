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

/** Files of `npm run test:full` alone, as they take long: another one of the same folder asks for most of it. */
export const IN_FULL_ALONE = {
  acceptance: [
    ...['base-url', 'broken-uploads', 'demo', 'domain-certificates', 'domain-hosts'],
    ...['files-memory', 'kv-key-limit', 'live-slow-readers', 'one-client', 'passwords', 'restart'],
    ...['scanning', 'sites-damaged', 'start'],
    // A unit or a contract asks for most of it.
    ...[
      'admin-access-queries',
      'gallery-pictures',
      'kv-limits',
      'last-modified',
      'renew',
      'sites-archive',
      'size-limits',
      'stats',
    ],
    // Another acceptance file does.
    ...['hosting', 'live-limits', 'mcp-large-results', 'notification-channels', 'rate-limits'],
    ...['refused-requests', 'reported-items', 'sites-replace', 'takedowns'],
  ],
  browser: [
    // A page each, whose parts others ask over HTTP.
    ...['console', 'docs', 'docs-forms', 'domains', 'quarantine', 'stats-charts'],
    // Contents that attack, one by one: `active-content` and `isolation` ask for what stops them.
    ...['content-host', 'hostile-files', 'hostile-reads'],
    // Many ways of showing a file.
    ...['file-viewer', 'gallery-pictures', 'hostile-content-host', 'neighbours', 'viewers'],
    // More of what `home`, `own-pages` and `unlock` do: publishing, looking for items, unlocking.
    ...['client', 'gallery', 'home-kinds', 'home-uploads', 'mine', 'protected-site', 'site'],
    // Scripts of a page each, which `own-pages` opens.
    ...['editor-kinds', 'editor-lost-answers', 'stats', 'store-page', 'top-bar'],
  ],
  contracts: [
    ...['clamd', 'embedded-deaths', 'grafana-panels', 'migration-crashes', 'restore', 'upgrade'],
    // Several servers of a kind.
    ...['nats-cluster', 'redis-cluster', 'redis-sentinel', 'standby'],
    // Servers that are started, ended or paused by the test: the faults of `npm test` end them under load.
    ...['age', 'embedded', 'faults', 'nats-faults', 'restarts', 's3-transport', 'servers', 'tls'],
    'totals-migration',
  ],
  clients: ['cli-binary', 'cli-domain', 'cli-items'],
  // The files of the image, and a proxy under load.
  deployment: ['image', 'kubernetes-redis', 'proxy'],
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
