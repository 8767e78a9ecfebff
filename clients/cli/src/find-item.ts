import type { ItemRef, Perch } from 'perch-client';
import { type ItemKind, resolveAddress } from './address.ts';
import type { Call } from './call.ts';
import { findRecord } from './records.ts';

export interface FoundItem {
  item: ItemRef;
  kind: ItemKind;
  /** A key of a store, or a file of a site. */
  rest: string | null;
  url: string;
  /** The path that was given instead of an address. */
  path: string | null;
}

/** The item of an address, or of a path that was published. */
export async function findItem(
  call: Call,
  perch: Perch,
  address: string,
  ownerToken: string | undefined,
): Promise<FoundItem> {
  const record = await findRecord(address, perch.url);
  if (record !== null) {
    const { kind, namespace, id, url } = record;
    return { item: { namespace, id }, kind, rest: null, url, path: address };
  }
  const { item, rest } = await resolveAddress(address, perch);
  const { type } = await perch.checkOwner(item, { ownerToken, password: call.text('password') });
  const url = `${perch.url}/${encodeURIComponent(item.namespace)}/${encodeURIComponent(item.id)}`;
  return { item, kind: type, rest, url, path: null };
}
