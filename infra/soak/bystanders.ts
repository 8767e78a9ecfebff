import { percentile } from '../bench/statistics.ts';
import { createRandom, type Random } from '../random.ts';
import { type Ask, createOutcomes, createSoakClient, type Outcomes } from './soak-client.ts';
import { page, siteForm } from './traffic.ts';

/** Clients that publish and read while another one misbehaves, each with an address of its own. */
const BYSTANDERS = 9;

/** Pause of a bystander before its next request, in ms. */
const PAUSE_MS = 100;

/** Above what a gateway keeps in memory: each read takes a connection of its own to the store. */
export const LARGE_READ = { Range: 'bytes=0-1999999' };

/** More than the kernel takes in for a reader that stands still. */
const FILM_BYTES = 19_000_000;

const NEW_FILE_BYTES = 3_000_000;

/** Addresses to read, published before the attack. */
export interface Published {
  pagePath: string;
  largePath: string;
}

/** @throws Error when something cannot be published */
export async function publishForBystanders(url: string): Promise<Published> {
  const client = createSoakClient(url, { 'X-Forwarded-For': '10.1.0.0' });
  const random = createRandom(1);
  const publish = async (path: string, body: string | FormData, type: string | null): Promise<string> => {
    const made = await client.ask(path, { path, ...posted(body, type) });
    if (made === null) throw new Error(`could not begin: ${[...client.outcomes.byKind.keys()].join()}`);
    return (JSON.parse(made) as { id: string }).id;
  };
  const pageId = await publish('/api/html?ns=attack', page(random), 'text/html');
  const filmId = await publish('/api/files?ns=attack', formOf(filmOf(FILM_BYTES), 'film.mp4'), null);
  return { pagePath: `/attack/${pageId}`, largePath: `/attack/${filmId}?raw=true` };
}

const posted = (body: string | FormData, type: string | null) => ({
  method: 'POST',
  wants: 201,
  body,
  ...(type === null ? {} : { headers: { 'Content-Type': type } }),
});

function formOf(bytes: Uint8Array<ArrayBuffer>, filename: string): FormData {
  const form = new FormData();
  form.append('file', new Blob([bytes]), filename);
  return form;
}

/** An MP4 file (ISO 14496-12) with its type and otherwise nothing in it. */
function filmOf(size: number): Uint8Array<ArrayBuffer> {
  const film = Buffer.alloc(size);
  film.writeUInt32BE(20, 0);
  film.write('ftypisom\0\0\0\0mp42', 4, 'latin1');
  film.writeUInt32BE(size - 20, 20);
  film.write('mdat', 24, 'latin1');
  return film;
}

/** A bystander's ways to use the service, each with what has come of it so far. */
interface Act {
  what: string;
  outcomes: Outcomes;
  run(): Promise<unknown>;
}

/** Lets all bystanders publish and read for a while. Returns the outcomes by operation. */
export async function letBystandersAct(
  url: string,
  published: Published,
  seconds: number,
  pauseMs = PAUSE_MS,
): Promise<Map<string, Outcomes>> {
  const endAt = performance.now() + seconds * 1_000;
  const acts = await Promise.all(
    bystandersOf(url, published).map(async ({ acts, random }) => {
      while (performance.now() < endAt) {
        await random.pick(acts).run();
        await Bun.sleep(random.between(0, 2 * pauseMs));
      }
      return acts;
    }),
  );
  return sumsOf(acts.flat());
}

/** Lets all of them do everything once. */
export async function letBystandersActOnce(
  url: string,
  published: Published,
): Promise<Map<string, Outcomes>> {
  const bystanders = bystandersOf(url, published);
  await Promise.all(
    bystanders.map(async ({ acts }) => {
      for (const act of acts) await act.run();
    }),
  );
  return sumsOf(bystanders.flatMap(({ acts }) => acts));
}

const bystandersOf = (url: string, published: Published) =>
  Array.from({ length: BYSTANDERS }, (_, n) => {
    const random = createRandom(n + 1);
    return { random, acts: actsOf(url, `10.1.0.${n + 1}`, published, random) };
  });

const newFile = (): FormData => formOf(filmOf(NEW_FILE_BYTES), 'film.mp4');

function actsOf(url: string, address: string, { pagePath, largePath }: Published, random: Random): Act[] {
  const act = (what: string, askOf: () => Ask): Act => {
    const client = createSoakClient(url, { 'X-Forwarded-For': address });
    return { what, outcomes: client.outcomes, run: () => client.ask(what, askOf()) };
  };
  // A namespace holds 1,000 files: each client has one of its own.
  const namespace = `attack-${crypto.randomUUID().slice(0, 8)}`;
  const publish = (kind: string, bodyOf: () => string | FormData, type: string | null) => () => ({
    path: `/api/${kind}?ns=${namespace}`,
    ...posted(bodyOf(), type),
  });
  return [
    act('read a page', () => ({ path: pagePath })),
    act('read a large file', () => ({ path: largePath, headers: LARGE_READ, wants: 206 })),
    act(
      'publish a page',
      publish('html', () => page(random), 'text/html'),
    ),
    act('publish a large file', publish('files', newFile, null)),
    act(
      'publish a site',
      publish('sites', () => siteForm(random), null),
    ),
    // Not complete: it is read, and answered with what is wrong.
    act('send a form', () => ({
      path: '/report',
      method: 'POST',
      wants: 400,
      body: 'category=spam',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })),
  ];
}

/** By what they did, of all clients together. */
function sumsOf(acts: readonly Act[]): Map<string, Outcomes> {
  const sums = new Map<string, Outcomes>();
  for (const { what, outcomes } of acts) {
    const sum = sums.get(what) ?? createOutcomes();
    sum.requests += outcomes.requests;
    sum.failures += outcomes.failures;
    sum.durations.push(...outcomes.durations);
    for (const [kind, count] of outcomes.byKind) sum.byKind.set(kind, (sum.byKind.get(kind) ?? 0) + count);
    sums.set(what, sum);
  }
  return sums;
}

/** Everything that had not the right answer, with how often. */
export const failuresIn = (outcomes: Map<string, Outcomes>): string[] =>
  [...outcomes.values()].flatMap(({ byKind }) => [...byKind].map(([kind, count]) => `${count} × ${kind}`));

/** How the bystanders fared without and with the attack, as a table. */
export function comparisonOf(before: Map<string, Outcomes>, during: Map<string, Outcomes>): string {
  const rows = [...before].flatMap(([what, normal]) => {
    const attacked = during.get(what);
    if (attacked === undefined) return [];
    const [was, is] = [p99(normal), p99(attacked)];
    return `| ${what} | ${normal.failures} of ${normal.requests} | ${attacked.failures} of ${attacked.requests} | ${was.toFixed(0)} | ${is.toFixed(0)} | ${(is / was).toFixed(1)} |`;
  });
  return `| nine clients | errors before | errors during | p99 before, ms | p99 during, ms | ratio |
|---|---|---|---|---|---|
${rows.join('\n')}

Errors before: ${failuresIn(before).join(', ') || 'none'}. During: ${failuresIn(during).join(', ') || 'none'}.
`;
}

const p99 = ({ durations }: Outcomes): number =>
  durations.length === 0 ? Number.NaN : percentile(durations, 0.99);
