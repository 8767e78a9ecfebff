import { statfs } from 'node:fs/promises';
import { Gauge } from 'prom-client';
import type { Metrics } from './metrics.ts';
import type { Cache } from './ports/cache.ts';
import { createSingleFlight } from './single-flight.ts';

/** Shows the memory of the cache's server; nothing while it is away, or where the cache is this process's own memory. */
export function observeCacheMemory(metrics: Metrics, cache: Pick<Cache, 'memory'>): void {
  observeFigures(metrics, () => cache.memory(), [
    {
      name: 'cache_memory_bytes',
      help: 'Memory that the server of the cache uses.',
      of: (it) => it.usedBytes,
    },
    {
      name: 'cache_memory_limit_bytes',
      help: 'Memory that it may use; 0 without a limit.',
      of: (it) => it.limitBytes,
    },
  ]);
}

/** Shows the room of the file system on which a folder is. */
export function observeDisk(metrics: Metrics, folder: string): void {
  observeFigures(metrics, () => statfs(folder), [
    {
      name: 'disk_free_bytes',
      help: 'Free room of the file system for uploads.',
      of: (it) => it.bavail * it.bsize,
    },
    { name: 'disk_size_bytes', help: 'Size of that file system.', of: (it) => it.blocks * it.bsize },
  ]);
}

interface Figure<T> {
  name: string;
  help: string;
  of(found: T): number;
}

/** Shows figures of a state that is asked for once at each scrape; none while there is no answer. */
export function observeFigures<T>(
  { registry }: Metrics,
  ask: () => Promise<T | null>,
  figures: ReadonlyArray<Figure<T>>,
): void {
  // A registry collects all its metrics at once.
  const share = createSingleFlight<T | null>();
  for (const { name, help, of } of figures) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const found = await share('', () => ask().catch(() => null));
        if (found === null) this.remove();
        else this.set(of(found));
      },
    });
  }
}
