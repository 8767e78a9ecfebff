import { ACTIVE_TEXT } from './active-text.ts';
import { DISGUISES } from './disguises.ts';
import type { HostileFile } from './hostile-file.ts';
import { NAMES } from './names.ts';
import { POLYGLOTS } from './polyglots.ts';
import { PROGRAM_FILES } from './programs.ts';

export type { HostileFile } from './hostile-file.ts';
export { TRACE } from './hostile-file.ts';

/** Every hostile file we could think of, and what becomes of it. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  ...POLYGLOTS,
  ...ACTIVE_TEXT,
  ...DISGUISES,
  ...PROGRAM_FILES,
  ...NAMES,
];
