import { LIMITS } from '../../../shared/items/item.ts';
import { parseText } from '../http/parameters.ts';
import type { ValidationIssues } from '../http/validation-issues.ts';

/** A bare file name (specification 4.1); `null` when absent. */
export function parseFilename(value: unknown, issues: ValidationIssues): string | null {
  const filename = parseText(value, 'filename', LIMITS.filenameCharacters, issues);
  if (filename === null || !/[/\\]/.test(filename)) return filename;
  issues.add('VALIDATION_FAILED', 'filename', 'is a bare name, without / or \\.');
  return null;
}
