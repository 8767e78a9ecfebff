import { errors } from '../../../shared/errors.ts';
import type { ErrorCode, FieldIssue } from '../../../shared/perch-error.ts';

/** Gathers issues, so that one answer names them all. */
export interface ValidationIssues {
  /** @param code VALIDATION_FAILED unless given */
  add(field: string, message: string, code?: ErrorCode): void;
  /** @throws the issue, or VALIDATION_FAILED when there are several kinds. */
  throwIfAny(): void;
}

export function collectIssues(): ValidationIssues {
  const found: Array<FieldIssue & { code: ErrorCode }> = [];
  return {
    add(field, message, code = 'VALIDATION_FAILED') {
      found.push({ code, field, message });
    },
    throwIfAny() {
      const codes = new Set(found.map((issue) => issue.code));
      const [code] = codes;
      if (code === undefined) return;
      const details = found.map(({ field, message }) => ({ field, message }));
      throw errors.invalid(codes.size === 1 ? code : 'VALIDATION_FAILED', details);
    },
  };
}
