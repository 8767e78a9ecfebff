import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Perch } from 'perch-client';
import { withTexts } from './answers.ts';
import { createFile, hasCode, writeFileAtomically } from './atomic-file.ts';
import { CommandError, EXIT } from './failures.ts';
import { unreadable } from './unreadable.ts';

/** Only the user may read a token. */
const TOKEN_MODE = 0o600;

/** A token that is used for one server, and never kept: an address on another one must not send it there. */
export interface GivenToken {
  server: string;
  token: string;
}

/** A new owner token of the server. */
export const newToken = async (perch: Perch): Promise<string> =>
  withTexts(await perch.createOwnerToken(), 'ownerToken').ownerToken;

/** The user's owner tokens: one for each server, in a file of its own that only the user may read. */
export class OwnerTokens {
  readonly #configFolder: () => string;
  readonly #given: GivenToken | null;

  constructor(configFolder: () => string, given: GivenToken | null) {
    this.#configFolder = configFolder;
    this.#given = given;
  }

  async read(server: string): Promise<string | undefined> {
    if (this.#given?.server === server) return this.#given.token;
    try {
      return (await readFile(this.fileOf(server), 'utf8')).trim() || undefined;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw unreadable(this.fileOf(server), error, EXIT.unexpected);
    }
  }

  /** The token for a server; a new one at the first use. Of two at once both get the same. */
  async readOrCreate(perch: Perch): Promise<string> {
    const known = await this.read(perch.url);
    if (known !== undefined) return known;
    const ownerToken = await newToken(perch);
    await this.#prepare();
    if (await createFile(this.fileOf(perch.url), `${ownerToken}\n`, TOKEN_MODE)) return ownerToken;
    return (await this.read(perch.url)) ?? ownerToken;
  }

  async write(server: string, token: string): Promise<void> {
    if (!/^[\x21-\x7e]{16,}$/.test(token))
      throw new CommandError('That is no owner token: it has 16 or more visible characters and no spaces.');
    await this.#prepare();
    await writeFileAtomically(this.fileOf(server), `${token}\n`, TOKEN_MODE);
  }

  async forget(server: string): Promise<void> {
    await rm(this.fileOf(server), { force: true });
  }

  fileOf(server: string): string {
    return join(this.#folder(), encodeURIComponent(server));
  }

  #folder(): string {
    return join(this.#configFolder(), 'tokens');
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#folder(), { recursive: true, mode: 0o700 });
  }
}
