import { statfs } from 'node:fs/promises';
import { Gauge } from 'prom-client';
import type { Metrics } from './metrics.ts';
import type { Cache } from './ports/cache.ts';

/** Shows the memory of the cache's server; nothing while it is away, or where the cache is this process's own memory. */
export function observeCacheMemory(metrics: Metrics, cache: Pick<Cache, 'memory'>): void {
  const memory = () => cache.memory().catch(() => null);
  gauge(metrics, 'cache_memory_bytes', 'Memory that the server of the cache uses.', async () => {
    return (await memory())?.usedBytes ?? null;
  });
  gauge(metrics, 'cache_memory_limit_bytes', 'Memory that it may use; 0 without a limit.', async () => {
    const found = await memory();
    return found && (found.limitBytes ?? 0);
  });
}

/** Shows the room of the file system on which a folder is. */
export function observeDisk(metrics: Metrics, folder: string): void {
  const room = () => statfs(folder).catch(() => null);
  gauge(metrics, 'disk_free_bytes', 'Room for uploads, and all else on that file system.', async () => {
    const found = await room();
    return found && found.bavail * found.bsize;
  });
  gauge(metrics, 'disk_size_bytes', 'Size of that file system.', async () => {
    const found = await room();
    return found && found.blocks * found.bsize;
  });
}

/** A figure that is asked for at each scrape; absent while it is `null`. */
function gauge({ registry }: Metrics, name: string, help: string, ask: () => Promise<number | null>): void {
  const figure = new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      const value = await ask();
      if (value === null) figure.remove();
      else figure.set(value);
    },
  });
}
