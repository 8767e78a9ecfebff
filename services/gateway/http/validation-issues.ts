import { type ErrorCode, errors, type FieldFault } from '../../../shared/errors.ts';

/** Gathers faults, so that one answer names them all. */
export interface Faults {
  add(code: ErrorCode, field: string, message: string): void;
  /** @throws the fault, or VALIDATION_FAILED when there are several kinds. */
  throwIfAny(): void;
}

export function collectFaults(): Faults {
  const found: Array<FieldFault & { code: ErrorCode }> = [];
  return {
    add(code, field, message) {
      found.push({ code, field, message });
    },
    throwIfAny() {
      const codes = new Set(found.map((fault) => fault.code));
      const [code] = codes;
      if (code === undefined) return;
      const details = found.map(({ field, message }) => ({ field, message }));
      throw errors.invalid(codes.size === 1 ? code : 'VALIDATION_FAILED', details);
    },
  };
}
