import { expect, test } from 'bun:test';
import { jsonOf, type Published } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { KINDS, publishKind } from './support/kinds.ts';
import { usePerch } from './support/perch.ts';

// Nothing is swept meanwhile: what is over is not listed all the same.
const perch = usePerch({ env: { TTL_DAY_SECONDS: '2', SWEEP_INTERVAL_SECONDS: '600' } });

interface Gallery {
  items: Array<{ id: string }>;
  total: number;
}

test('an item of any kind is in the gallery until its time is over, swept or not', async () => {
  const items: Published[] = [];
  for (const kind of KINDS)
    items.push(await publishKind(perch, kind, 'x', { query: { ttl: 1, title: 'Shortly' } }));
  const kept = await perch.publish('<p>kept', { query: { ttl: 30, title: 'Shortly and for long' } });
  const read = async (query: Record<string, string>) =>
    await jsonOf<Gallery>(await perch.last.request('/api/gallery', { query }));
  for (const item of items) {
    const expired = () => Date.now() > Date.parse(item.expiresAt);
    const listed = (await read({ q: 'shortly' })).items.some(({ id }) => id === item.id);
    expect(listed || expired()).toBe(true);
    await eventually(expired);
    for (const query of [{}, { q: 'shortly' }, { sort: 'views' }])
      expect((await read(query)).items.map(({ id }) => id)).not.toContain(item.id);
  }
  for (const query of [{}, { q: 'shortly' }, { kind: 'html' }])
    expect(await read(query)).toMatchObject({ total: 1, items: [{ id: kept.id }] });
});
