import { createHash } from 'node:crypto';

/**
 * Text that names a target and its version, and equals no other. Equal arguments give equal text, so nothing has to be
 * kept for comparison.
 */
export function textOf(name: string, version: number, bytes: number): string {
  const head = `perch-faults ${name} v${version} `;
  const line = `${createHash('sha256').update(head).digest('hex')}\n`;
  return head + line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);
}

/** The version that a text says it is. It may still be cut off, or mixed with another. */
export function versionIn(text: string): number | null {
  const version = /perch-faults \S+ v(\d+) /.exec(text)?.[1];
  return version === undefined ? null : Number(version);
}

/** Sizes differ from version to version, and are the same for the same one. */
export const sizeOf = (version: number, ...sizes: [number, ...number[]]): number =>
  sizes[version % sizes.length] ?? sizes[0];
