import { createHash } from 'node:crypto';
import { createRegister, type Register } from '../ledger.ts';
import type { Call } from '../send.ts';

/** Something that is written and read: an item, or a key of a store. */
export interface Target {
  namespace: string;
  id: string;
  /** Name of a key in the store `id`. */
  key: string;
  ownerToken: string;
  register: Register;
  /** The number of the version that is sent next. */
  nextVersion: number;
}

/** A target that was never written. */
export const createTarget = (
  place: Pick<Target, 'namespace' | 'id' | 'ownerToken'> & Partial<Target>,
): Target => ({ key: '', nextVersion: 1, register: createRegister(), ...place });

/** A read that says which version is there. */
export interface Read {
  call: Call;
  /** The part of the answer that is compared. */
  take(text: string): string;
  /** The version that this part says it is. */
  versionIn(part: string): number | null;
  expected(version: number): string;
  /** Whether it is a short URL: those alone tell what is gone from what never was. */
  isShort: boolean;
}

/** The operations of one kind of content. */
export interface LoadKind {
  name: string;
  /** `idempotencyKey`: the same for each repetition of one create. */
  create(target: Target, version: number, idempotencyKey: string): Call;
  created: number;
  /** `null`: the kind knows no changes. */
  change: ((target: Target, version: number) => Call) | null;
  remove(target: Target): Call;
  /** Reads that together see all of it. */
  reads(target: Target): Read[];
  /** Further reads by the owner or by anybody, whose content is not compared. */
  looks(target: Target): Call[];
  /** Whether its owner's lists have it. */
  isItem: boolean;
}

export const ownedBy = ({ ownerToken }: Target) => ({ 'X-Owner-Token': ownerToken });

export const nameOf = ({ namespace, id, key }: Target): string =>
  key === '' ? `${namespace}/${id}` : `${namespace}/${id}/${key}`;

/** GET of a short URL. */
export const shortCall = ({ namespace, id }: Target, rest = ''): Call => ({
  method: 'GET',
  template: rest.startsWith('/') ? '/{ns}/{id}/{sub}' : '/{ns}/{id}',
  path: `/${namespace}/${id}${rest}`,
});

/** A call of an item's own address in the API. */
export const itemCall = (method: string, path: string, { namespace, id }: Target, rest = ''): Call => ({
  method,
  template: `${path}/{ns}/{id}${rest}`,
  path: `${path}/${namespace}/${id}${rest}`,
});

const same = (text: string): string => text;

export const wholeBody = (call: Call, isShort: boolean, expected: (version: number) => string): Read => ({
  call,
  take: same,
  versionIn,
  expected,
  isShort,
});

/**
 * Text that names a target and its version, and equals no other. Equal arguments give equal text, so nothing has to be
 * kept for comparison.
 */
export function textOf(name: string, version: number, bytes: number): string {
  const head = `perch-faults ${name} v${version} `;
  const line = `${createHash('sha256').update(head).digest('hex')}\n`;
  return head + line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

/** The version that a text says it is. The text may still be cut off, or mixed with another. */
export function versionIn(text: string): number | null {
  const version = /perch-faults \S+ v(\d+) /.exec(text)?.[1];
  return version === undefined ? null : Number(version);
}

/** Sizes differ from version to version, and are the same for the same one. */
export const sizeOf = (version: number, ...sizes: [number, ...number[]]): number =>
  sizes[version % sizes.length] ?? sizes[0];
