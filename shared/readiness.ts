import { Gauge } from 'prom-client';
import { within } from './deadline.ts';
import type { Metrics } from './metrics.ts';

/** Dependencies by name, each with a check that rejects when the dependency is away. */
export type Dependencies = Record<string, () => Promise<unknown>>;

export interface ReadinessOptions {
  isLeaving?: () => boolean;
  /** Told of like the others; while one is away the process goes on with the rest of its work. */
  mayBeAway?: Dependencies;
}

/**
 * Whether a process can do its work. Concurrent callers share one check (single-flight), so frequent probes cost no
 * more.
 */
export interface Readiness {
  /** `/readyz`: 200 when every dependency answers, else 503; either way which one does. Never rejects. */
  answer(): Promise<Response>;
  /** Shows the same in the metrics of the process. */
  observe(metrics: Metrics): void;
}

/** Longest a check may take before its dependency counts as away, in ms; Prometheus waits ten seconds for a page. */
const CHECK_LIMIT_MS = 2_500;

/** A process that is about to stop is not ready, and asks nobody: what it depends on may be closed already. */
export function createReadiness(
  dependencies: Dependencies,
  { isLeaving = () => false, mayBeAway = {} }: ReadinessOptions = {},
): Readiness {
  let asking: Promise<Entry[]> | null = null;

  const askAll = () =>
    entriesOf({ ...dependencies, ...mayBeAway }).finally(() => {
      asking = null;
    });
  const ask = () => {
    asking ??= askAll();
    return asking;
  };

  return {
    async answer() {
      if (isLeaving()) return unready('leaving', {});
      const entries = await ask();
      const ready = entries.every(([name, up]) => up || name in mayBeAway);
      const states = toStates(entries);
      if (!ready) return unready('unavailable', states);
      return Response.json({ status: 'ready', dependencies: states });
    },
    observe({ registry }) {
      new Gauge({
        name: 'dependency_up',
        help: 'Whether what the process depends on answers (1) or not (0).',
        labelNames: ['dependency'],
        registers: [registry],
        async collect() {
          const entries = isLeaving() ? [] : await ask();
          this.reset();
          for (const [dependency, up] of entries) this.set({ dependency }, up ? 1 : 0);
        },
      });
    },
  };
}

/** Which dependency answers, by name. */
export type DependencyStates = Record<string, 'up' | 'down'>;

/** Asks every dependency once. Never rejects. */
export const statesOf = async (dependencies: Dependencies): Promise<DependencyStates> =>
  toStates(await entriesOf(dependencies));

type Entry = readonly [name: string, up: boolean];

const entriesOf = (dependencies: Dependencies): Promise<Entry[]> =>
  Promise.all(
    Object.entries(dependencies).map(async ([name, check]) => [name, await answers(check)] as const),
  );

const toStates = (entries: readonly Entry[]): DependencyStates =>
  Object.fromEntries(entries.map(([name, up]) => [name, up ? 'up' : 'down']));

const unready = (status: string, dependencies: Record<string, string>): Response =>
  Response.json({ status, dependencies }, { status: 503, headers: { 'Retry-After': '2' } });

async function answers(check: () => Promise<unknown>): Promise<boolean> {
  try {
    await within(check(), CHECK_LIMIT_MS, () => new Error('no answer'));
    return true;
  } catch {
    return false;
  }
}
