import { readFile, stat } from 'node:fs/promises';
import { steadyNow } from '../deadline.ts';
import type { Logger } from '../logger.ts';

/** Hosts that no page may link to, from a file of the operator. */
export interface LinkBlocklist {
  /** The entry that forbids a host: the host itself, or a domain that it is below of; `null`: none. */
  match(host: string): string | null;
  /** Reads the file again if it has changed since it was last looked at, once a second at most. Never rejects. */
  refresh(): Promise<void>;
  state(): LinkBlocklistState;
}

export interface LinkBlocklistState {
  hosts: number;
  /** Lines that name no host; they are passed over. */
  badLines: number;
  /** Why the file could not be read when it was last tried: the hosts before stay in force. `null`: it could. */
  problem: string | null;
}

/** The file's bounds; one that is larger is not taken. */
const LARGEST = { bytes: 16 * 1_048_576, hosts: 500_000 };

const LOOK_EVERY_MS = 1_000;

/** Bad lines of a file that the log names. */
const NAMED_LINES = 20;

/** @param file one host a line; empty lines and what follows a `#` are passed over */
export function createLinkBlocklist(file: string, log: Logger): LinkBlocklist {
  let hosts: ReadonlySet<string> = new Set();
  let badLines = 0;
  let problem: string | null = null;
  let mark = '';
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;

  const load = async (): Promise<void> => {
    const { mtimeMs, size, ino } = await stat(file);
    const found = `${mtimeMs} ${size} ${ino}`;
    if (found === mark && problem === null) return;
    if (size > LARGEST.bytes) throw new RangeError(`it has more than ${LARGEST.bytes} bytes`);
    const read = readHosts(await readFile(file, 'utf8'));
    if (read.hosts.size > LARGEST.hosts) throw new RangeError(`it names more than ${LARGEST.hosts} hosts`);
    [hosts, badLines, problem, mark] = [read.hosts, read.bad.length, null, found];
    log.info({ file, hosts: hosts.size, badLines }, 'the blocklist of links was read');
    if (badLines > 0)
      log.warn(
        { file, lines: read.bad.slice(0, NAMED_LINES) },
        'lines of the blocklist of links name no host',
      );
  };
  const look = async (): Promise<void> => {
    try {
      await load();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== problem) log.error({ file, error }, 'the blocklist of links could not be read');
      problem = reason;
    } finally {
      lookedAt = steadyNow();
      looking = null;
    }
  };

  return {
    match(host) {
      const name = host.endsWith('.') ? host.slice(0, -1) : host;
      for (let rest = name; rest !== ''; ) {
        if (hosts.has(rest)) return rest;
        const dot = rest.indexOf('.');
        rest = dot < 0 ? '' : rest.slice(dot + 1);
      }
      return null;
    },
    async refresh() {
      if (looking === null && steadyNow() - lookedAt < LOOK_EVERY_MS) return;
      looking ??= look();
      await looking;
    },
    state: () => ({ hosts: hosts.size, badLines, problem }),
  };
}

/** The hosts of a file, as browsers write them, and the numbers of the lines that name none. */
export function readHosts(text: string): { hosts: Set<string>; bad: number[] } {
  const hosts = new Set<string>();
  const bad: number[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const written = line.replace(/#.*/, '').trim();
    if (written === '') continue;
    const host = hostNamed(written);
    if (host === null) bad.push(index + 1);
    else hosts.add(host);
  }
  return { hosts, bad };
}

/** A host as it stands in an address; `null` for what is more or less than one. */
function hostNamed(written: string): string | null {
  const bare = written.replace(/^\*?\./, '').replace(/\.$/, '');
  if (!URL.canParse(`http://${bare}/`)) return null;
  const { hostname, port, username, pathname } = new URL(`http://${bare}/`);
  const isBare = port === '' && username === '' && pathname === '/' && !/[/?#@\s\\]/.test(bare);
  // A single label would forbid a whole top-level domain.
  return isBare && (hostname.includes('.') || hostname.startsWith('[')) ? hostname : null;
}
