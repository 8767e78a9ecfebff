import { describe, expect, test } from 'bun:test';
import { withDatabase } from '../faults/blob-audit.ts';
import { png } from '../hostile/bytes.ts';
import { ownedBy, type RequestOptions } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { fileApiPath, type PublishedFile, postFile, publishFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** Specification 7.1: in `public` it is that of an owner. */
const LIMIT = 1_000;
/** Published files, and so many more that the database is given as copies of the first: a thousand uploads take long. */
async function fill(count: number, options: RequestOptions): Promise<PublishedFile[]> {
  const files = await atOnce(10, (n) =>
    publishFile(n % 2 === 0 ? perch : perch.last, 'a.png', png(), options),
  );
  const [{ namespace, id } = { namespace: '', id: '' }] = files;
  await withDatabase(perch.instance, async (sql) => {
    const columns = await sql<Array<{ name: string }>>`
    select column_name as name from information_schema.columns
    where table_name = 'items' and is_generated = 'NEVER'`;
    const written = sql(columns.map(({ name }) => name));
    await sql`
    insert into items (${written})
    select ${written} from (
      select copy.* from items, generate_series(1, ${count - files.length}::int) as n,
        jsonb_populate_record(null::items, to_jsonb(items)
          || jsonb_build_object('id', ${id}::text || n, 'code', ${id}::text || n)) as copy
      where items.namespace = ${namespace} and items.id = ${id}
    ) as copies`;
  });
  return files;
}

describe('1,000 files', () => {
  for (const [where, ns] of [
    ['of a namespace, whoever owns them', fresh('full-files')],
    ['of an owner in public', 'public'],
  ] as const) {
    test(`are the limit ${where}`, async () => {
      const owner = { query: { ns }, headers: { 'X-Owner-Token': `the owner of all files in ${ns}` } };
      const files = await fill(LIMIT - 1, owner);
      const answers = await atOnce(10, (n) =>
        postFile(n % 2 === 0 ? perch : perch.last, 'a.png', png(), owner),
      );
      expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 1, 409: 9 });
      for (const answer of answers)
        if (answer.status === 409) await expectError(answer, 409, 'LIMIT_REACHED');

      const stranger = await postFile(perch, 'a.png', png(), { query: { ns } });
      if (ns === 'public') expect(stranger.status).toBe(201);
      else await expectError(stranger, 409, 'LIMIT_REACHED');
      const elsewhere = { ...owner, query: { ns: fresh('other-files') } };
      expect((await postFile(perch, 'a.png', png(), elsewhere)).status).toBe(201);
      expect((await perch.publish('<p>a page', owner)).namespace).toBe(ns);

      const [first] = files;
      if (first === undefined) throw new Error('there are no files');
      const removed = await perch.request(fileApiPath(first), { method: 'DELETE', ...ownedBy(first) });
      expect(removed.status).toBe(204);
      expect((await postFile(perch, 'a.png', png(), owner)).status).toBe(201);
      await expectError(await postFile(perch, 'a.png', png(), owner), 409, 'LIMIT_REACHED');
    }, 60_000);
  }
});
