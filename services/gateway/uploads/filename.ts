import { LIMITS } from '../../../shared/items/item.ts';
import { parseText } from '../http/parameters.ts';
import type { Faults } from '../http/validation-issues.ts';

/** A bare file name (specification 4.1); `null` when absent. */
export function parseFilename(value: unknown, faults: Faults): string | null {
  const filename = parseText(value, 'filename', LIMITS.filenameCharacters, faults);
  if (filename === null || !/[/\\]/.test(filename)) return filename;
  faults.add('VALIDATION_FAILED', 'filename', 'is a bare name, without / or \\.');
  return null;
}
