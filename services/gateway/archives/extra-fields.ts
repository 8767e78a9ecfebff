import { entryIssue } from './archive-issue.ts';

/** The content of a header's extra field, or `null`. Fields behind a malformed one are not looked for. */
export function findExtra(extra: Buffer, id: number): Buffer | null {
  for (let at = 0; at + 4 <= extra.length; ) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (end > extra.length) return null;
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, end);
    at = end;
  }
  return null;
}

interface Field {
  value: number;
  bytes: 2 | 4;
}

/** Header id of the ZIP64 extended information (APPNOTE 4.5.3). */
const ZIP64_ID = 1;

type Numbers<T extends readonly Field[]> = { [K in keyof T]: number };

/**
 * The true values of header fields, in APPNOTE's order: each one that is all ones is taken from the ZIP64 extra
 * field, where two-byte fields have four bytes and four-byte fields eight.
 * @throws VALIDATION_FAILED where the extra field does not have them.
 */
export function readZip64Fields<const T extends readonly Field[]>(
  name: string,
  extra: Buffer,
  fields: T,
): Numbers<T> {
  const deferred = fields.some(isDeferred);
  const record = deferred ? findExtra(extra, ZIP64_ID) : null;
  if (deferred && record === null) throw entryIssue(name, 'lacks the ZIP64 sizes that it refers to.');
  let at = 0;
  return fields.map((field) => {
    if (record === null || !isDeferred(field)) return field.value;
    const length = 2 * field.bytes;
    if (at + length > record.length) throw entryIssue(name, 'lacks the ZIP64 sizes that it refers to.');
    const value = length === 8 ? record.readBigUInt64LE(at) : BigInt(record.readUInt32LE(at));
    at += length;
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw entryIssue(name, 'has an impossible size.');
    return Number(value);
  }) as Numbers<T>;
}

const isDeferred = ({ value, bytes }: Field): boolean => value === 2 ** (8 * bytes) - 1;
