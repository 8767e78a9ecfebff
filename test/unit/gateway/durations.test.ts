import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { createDurations } from '../../../services/gateway/durations.ts';

const NAME = 'duration_seconds';
const HELP = 'How long it took.';
const BUCKETS = [0.001, 0.01, 1];
const KINDS = ['page', 'api'] as const;

/** In an order of their own, and labels likewise: none is said to have one. */
const linesOf = async (registry: Registry): Promise<string[]> =>
  (await registry.metrics())
    .split('\n')
    .map((line) => line.replace(/\{(.*)\}/, (_, labels: string) => labels.split(',').toSorted().join()))
    .toSorted();

test('the metric is that of a histogram of prom-client, at the bounds as well', async () => {
  const values = fc.array(
    fc.tuple(fc.constantFrom(...KINDS), fc.constantFrom(0, 0.0009, ...BUCKETS, 0.0011, 1.001, 60)),
  );
  await fc.assert(
    fc.asyncProperty(values, async (observed) => {
      const [registry, reference] = [new Registry(), new Registry()];
      for (const each of [registry, reference]) each.setDefaultLabels({ service: 'test' });
      const durations = createDurations({ name: NAME, help: HELP, kinds: KINDS, buckets: BUCKETS, registry });
      const histogram = new Histogram({
        name: NAME,
        help: HELP,
        labelNames: ['kind'],
        buckets: BUCKETS,
        registers: [reference],
      });
      for (const [kind, seconds] of observed) {
        durations.observe(kind, seconds);
        histogram.observe({ kind }, seconds);
      }
      expect(await linesOf(registry)).toEqual(await linesOf(reference));
    }),
  );
});
