import type { ForgedEntry } from './zip-writer.ts';

/** An upload that must be refused. */
export interface ArchiveCase {
  name: string;
  expected: { status: 400; code: 'VALIDATION_FAILED' | 'TOO_LARGE' };
  /** Builds the archive once and gives the same bytes again afterwards. */
  build(): Uint8Array;
}

export function once<T>(build: () => T): () => T {
  let built: { value: T } | undefined;
  return () => {
    built ??= { value: build() };
    return built.value;
  };
}

export const invalid = (name: string, build: () => Uint8Array): ArchiveCase => ({
  name,
  expected: { status: 400, code: 'VALIDATION_FAILED' },
  build: once(build),
});

export const tooLarge = (name: string, build: () => Uint8Array): ArchiveCase => ({
  name,
  expected: { status: 400, code: 'TOO_LARGE' },
  build: once(build),
});

/** A page to begin with, so that an archive is refused for its fault alone. */
export const PAGE: ForgedEntry = { name: 'index.html', data: '<!doctype html><title>Perch</title><p>Hello.' };
