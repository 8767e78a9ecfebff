import { expect, setDefaultTimeout, test } from 'bun:test';
import { createClient } from '../acceptance/support/client.ts';
import { KINDS } from '../acceptance/support/kinds.ts';
import { type Instance, type Mode, startInstance } from '../instance.ts';
import { type LifeOptions, live, readToTheEnd, removeUnderReads } from './item-life.ts';
import { ageTombstones, findLeftovers, type Leftovers } from './leftovers.ts';
import { beginUpload } from './upload-folder.ts';
import { until } from './waiting.ts';

// Long enough to install a server's Debian package first.
setDefaultTimeout(300_000);

/** Some expire soon, the others never do by themselves. */
const EXPIRING = 5;
const LASTING = 30;

const LIVES: LifeOptions[] = KINDS.flatMap((kind) =>
  [
    { namespace: 'public', password: '' },
    { namespace: 'private', password: 'secret' },
  ].flatMap((place) => [EXPIRING, LASTING].map((ttl) => ({ kind, ...place, ttl }))),
);

const SETTINGS = { TTL_DAY_SECONDS: '3', BLOB_GRACE_SECONDS: '12', SWEEP_INTERVAL_SECONDS: '1' };

const PUBLIC_TOMBSTONES: Partial<Leftovers> = {
  rows: { tombstones: LIVES.filter(({ namespace }) => namespace === 'public').length },
  privateTombstones: 0,
  blobs: [],
  counters: [],
  otherKeys: [],
  temporaryFiles: [],
};

/** Number of concurrent creates: all of them would outlast the short grace of their uploads. */
const AT_ONCE = 8;

/** Every kind of item lives, and is removed or expires. */
async function liveAndEnd(perch: Instance): Promise<void> {
  const clients = perch.gateways.map((url) => createClient(() => url));
  const faults: string[] = [];
  const note = (error: unknown): void => {
    faults.push(String(error));
  };
  const endings: Array<Promise<void>> = [];
  const begin = async (life: LifeOptions): Promise<void> => {
    const item = await live(clients, life);
    const end = life.ttl === LASTING ? removeUnderReads : readToTheEnd;
    endings.push(end(clients, life, item).catch(note));
  };
  for (let next = 0; next < LIVES.length; next += AT_ONCE) {
    await Promise.all(LIVES.slice(next, next + AT_ONCE).map((life) => begin(life).catch(note)));
  }
  await Promise.all(endings);
  expect(faults).toEqual([]);
}

/** The leftovers once the sweeps have run. */
async function sweptLeftovers(perch: Instance): Promise<Partial<Leftovers>> {
  let found: Partial<Leftovers> = {};
  await until(
    'the sweeps are through',
    async () => {
      await ageTombstones(perch);
      found = await findLeftovers(perch);
      return Bun.deepEquals({ ...found, ...PUBLIC_TOMBSTONES }, found);
    },
    150_000,
  ).catch(() => undefined);
  return found;
}

const MODES: Mode[] = ['embedded', 'distributed'];

// Most of their time is waiting: both modes at once.
for (const mode of MODES)
  test.concurrent(`once everything is over nothing is left but public tombstones (${mode})`, async () => {
    const perch = await startInstance({ mode, gateways: 2, contents: 2, kvs: 2, env: SETTINGS });
    try {
      await liveAndEnd(perch);
      const upload = await beginUpload(perch, perch.url);
      upload.breakOff();
      const found = await sweptLeftovers(perch);
      expect(found).toMatchObject(PUBLIC_TOMBSTONES);
      // In no other table either.
      expect(found.rows).toEqual(PUBLIC_TOMBSTONES.rows);
      // That something was removed is known for an hour, so that no late fill brings it back. All windows end.
      for (const record of found.records ?? []) expect(record).toMatch(/^record:\S+ R$/);
      for (const window of found.windows ?? []) expect(window).not.toContain('without an end');
    } finally {
      await perch.stop();
    }
  });
