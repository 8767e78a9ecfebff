import { expect, test } from 'bun:test';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

// Plans are kept until the table is analyzed, and a Perch that has just begun may get its first thousands of items before.
test('an address is looked up by its own index, also by a plan from before there were items', async () => {
  const [row] = await database.sql<Array<{ 'QUERY PLAN': unknown }>>`
    explain (format json) select from items where namespace = ${'public'} and id = ${'some-page'}`;
  expect(JSON.stringify(row)).toContain('items_pkey');
});
