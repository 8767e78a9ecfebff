import type { ValidationIssues } from '../../http/validation-issues.ts';
import { parseFilename } from '../../uploads/filename.ts';

/** Marks that turn the direction of what follows, by which `gpj.html` reads as `lmth.jpg`. No name needs them. */
const DIRECTION_OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/;

/**
 * The name of a file as the parameter `filename` gives it (specification 7.1), without white space around it;
 * `null` when absent, blank or faulty.
 */
export function filenameOf(raw: unknown, issues: ValidationIssues): string | null {
  const name = parseFilename(raw, issues);
  if (name === '.' || name === '..') issues.add('VALIDATION_FAILED', 'filename', 'must name a file.');
  else if (name !== null && DIRECTION_OVERRIDES.test(name))
    issues.add('VALIDATION_FAILED', 'filename', 'must not contain marks that turn the direction of text.');
  else return name;
  return null;
}

/** The name of a file as a multipart part carries it: some clients put a path of their own before it. */
export function filenameOfPart(raw: string | null, issues: ValidationIssues): string | null {
  return filenameOf(raw?.split(/[/\\]/).at(-1) ?? null, issues);
}
