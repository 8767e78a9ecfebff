import parseRange from 'range-parser';
import { errors } from '../../../shared/errors.ts';
import type { ByteRange } from '../../../shared/ports/blob-store.ts';

/**
 * The part of a content of that many bytes that a GET asks for; `null`: the whole (RFC 9110, section 14). Ranges that
 * touch are one. Several that do not, another unit and what is malformed are answered with the whole, as are ranges of
 * a version that is no longer current (If-Range).
 * @param modified the Last-Modified of the content where it names one version in one form, so that If-Range may be that date
 * @throws RANGE_NOT_SATISFIABLE when all of it lies outside of the content
 */
export function selectRange(
  request: Request,
  size: number,
  etag: string,
  modified: string | null = null,
): ByteRange | null {
  const header = request.headers.get('range');
  if (header === null || request.method !== 'GET') return null;
  const ifRange = request.headers.get('if-range')?.trim() ?? null;
  const isCurrent = ifRange === null || ifRange === modified || (ifRange === etag && !etag.startsWith('W/'));
  if (!isCurrent) return null;
  const specs = rangeSpecs(header, size);
  if (specs === null) return null;
  const ranges = parseRange(size, `bytes=${specs.join(',')}`, { combine: true });
  if (ranges === -1) throw errors.rangeNotSatisfiable(size);
  if (ranges === -2) return null;
  const [only, another] = ranges;
  return only === undefined || another !== undefined ? null : { start: only.start, end: only.end };
}

/**
 * The ranges of a header in bytes, or `null` when it is to be ignored. range-parser takes `5-2` for unsatisfiable where
 * it is invalid, and a suffix longer than the content for unsatisfiable where it is all of it (RFC 9110,
 * sections 14.1.1 and 14.1.2).
 */
function rangeSpecs(header: string, size: number): string[] | null {
  const [, set = ''] = /^bytes=(.*)$/i.exec(header.trim()) ?? [];
  const specs: string[] = [];
  for (const part of set.split(',')) {
    if (part.trim() === '') continue;
    const [, first = '', last = ''] = /^(\d*)-(\d*)$/.exec(part.trim()) ?? [];
    if (first + last === '') return null;
    if (first === '') {
      if (size === 0 && Number(last) > 0) return null;
      specs.push(`-${Math.min(Number(last), size)}`);
    } else if (last !== '' && Number(last) < Number(first)) return null;
    else specs.push(`${first}-${last}`);
  }
  return specs.length === 0 ? null : specs;
}
