import type { Call, Option } from './call.ts';

export interface Command {
  name: string;
  /** Its arguments. */
  usage: string;
  summary: string;
  options: readonly Option[];
  /** Words that may follow its name. */
  words?: readonly string[];
  /** Whether its arguments are files and folders, to complete them. */
  takesPaths?: boolean;
  run(call: Call): Promise<void>;
}

export const PASSWORD: Option = { name: 'password', value: 'TEXT', help: "the item's password" };
