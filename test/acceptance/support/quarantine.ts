import { expect } from 'bun:test';
import { withDatabase } from '../../faults/blob-audit.ts';
import { ADMIN } from '../../shared-instance.ts';
import { type Address, type Client, jsonOf, shortPath } from './client.ts';
import { eventually } from './concurrency.ts';
import type { Perch } from './perch.ts';

export interface Quarantine {
  cause: string;
  verdict: string;
  part: string | null;
  since: string;
}

interface Run {
  runId: number;
  startedBy: string;
  scanner: string;
  queued: number;
  scanned: number;
  found: number;
  finishedAt: string | null;
}

export interface Started {
  started: boolean;
  run: Run;
}

interface ScanState {
  scanner: string;
  version: string | null;
  mode: string;
  whenAway: string;
  waiting: number;
  quarantined: number;
  links: { hosts: number; badLines: number; problem: string | null } | null;
  runs: Run[];
}

export const scansOf = async (client: Client): Promise<ScanState> =>
  await jsonOf<ScanState>(await client.request('/api/admin/scans', { headers: ADMIN }));

export const startRescan = (client: Client): Promise<Response> =>
  client.request('/api/admin/scans', { method: 'POST', headers: ADMIN });

/** Looks through everything once more, and waits for its end. */
export async function rescan(client: Client): Promise<Run> {
  const { started, run: begun } = await jsonOf<Started>(await startRescan(client));
  expect(started).toBe(true);
  const { runId } = begun;
  const find = async () => (await scansOf(client)).runs.find((run) => run.runId === runId);
  await eventually(async () => typeof (await find())?.finishedAt === 'string');
  const run = await find();
  if (run === undefined) throw new Error('the rescan is not in the list');
  return run;
}

/** The finding that the operator sees of an item in quarantine, for its release; of one in none an id that names nothing. */
export async function findingOf(client: Client, { namespace, id }: Address): Promise<string> {
  const query = { namespace, id, state: 'quarantined' };
  const listed = await client.request('/api/admin/publications', { query, headers: ADMIN });
  const [item] = await jsonOf<Array<{ findingId?: string }>>(listed);
  return item?.findingId ?? '0'.repeat(32);
}

/** Releases what is found in an item now, or what somebody has seen before. */
export async function release(client: Client, item: Address, seen?: string): Promise<Response> {
  const findingId = seen ?? (await findingOf(client, item));
  const path = `/api/admin/items${shortPath(item)}/release`;
  return await client.request(path, { method: 'POST', headers: ADMIN, json: { findingId } });
}

/** Asks as an owner for all their items, and returns what is told of one. */
export async function toldOwner(
  client: Client,
  item: Address & { ownerToken: string },
): Promise<Quarantine | undefined> {
  const asked = await client.request('/api/owner/items', { headers: { 'X-Owner-Token': item.ownerToken } });
  const { items } = await jsonOf<{ items: Array<Address & { quarantine?: Quarantine }> }>(asked);
  const found = items.find(({ namespace, id }) => namespace === item.namespace && id === item.id);
  expect(found).toBeDefined();
  return found?.quarantine;
}

/** Causes of a quarantine, and what a reader at the item's own host gets: the status, and what browsers are to forget. */
export const AT_ITS_HOST = [
  ['link', 451, '"cache", "storage"'],
  ['unscanned', 503, null],
] as const;

/** Puts an item into quarantine without a scan. That the operator hides it besides tells all gateways. */
export async function putIntoQuarantine(
  perch: Perch,
  item: Address,
  cause: 'link' | 'unscanned',
): Promise<void> {
  const quarantine = { cause, verdict: '', part: null, since: Date.now(), hidden: false };
  await withDatabase(perch.instance, async (sql) => {
    await sql`
      update items set hidden = true, quarantine = ${sql.json(quarantine)}
      where namespace = ${item.namespace} and id = ${item.id}`;
  });
  const options = { method: 'POST', headers: ADMIN, json: { note: 'x' } };
  const hidden = await perch.request(`/api/admin/items${shortPath(item)}/hide`, options);
  expect(await jsonOf(hidden)).toMatchObject({ state: 'quarantined' });
}
