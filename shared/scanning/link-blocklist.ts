import type { Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { steadyNow } from '../deadline.ts';
import type { Logger } from '../logger.ts';
import { messageOf } from '../message-of.ts';

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

/** The file's bounds; one that is larger is not taken. An entry is a line with something in it. */
const MAX = { bytes: 16 * 1_048_576, entries: 500_000 };

/** Characters of a host name, without the dot at its end (RFC 1035). */
const MAX_HOST = 253;

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
    const found = await stat(file);
    if (markOf(found) === mark && problem === null) return;
    const read = readHosts(await readUnchanged(file, found));
    [hosts, badLines, problem, mark] = [read.hosts, read.bad.length, null, markOf(found)];
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
      const reason = messageOf(error);
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

/** Changes with the file. */
const markOf = ({ mtimeMs, size, ino }: Stats): string => `${mtimeMs} ${size} ${ino}`;

/**
 * The text of a file that is still as it was found.
 * @throws RangeError when it is too large; Error when it is no file, or another one by now
 */
async function readUnchanged(file: string, found: Stats): Promise<string> {
  const { size } = found;
  // A pipe or a device may have no end.
  if (!found.isFile()) throw new Error('it is no file');
  if (size > MAX.bytes) throw new RangeError(`it has more than ${MAX.bytes} bytes`);
  const handle = await open(file);
  try {
    const bytes = Buffer.alloc(size);
    for (let filled = 0, read = 1; filled < size && read > 0; filled += read)
      read = (await handle.read(bytes, filled, size - filled, filled)).bytesRead;
    if (markOf(await stat(file)) !== markOf(found)) throw new Error('it changed while it was read');
    return bytes.toString('utf8');
  } finally {
    await handle.close();
  }
}

/**
 * The hosts of a file, as browsers write them, and the numbers of the lines that name none.
 * @throws RangeError when it has too many
 */
function readHosts(text: string): { hosts: Set<string>; bad: number[] } {
  const hosts = new Set<string>();
  const bad: number[] = [];
  let entries = 0;
  for (const [index, line] of text.split('\n').entries()) {
    const written = line.replace(/#.*/, '').trim();
    if (written === '') continue;
    entries += 1;
    if (entries > MAX.entries) throw new RangeError(`it has more than ${MAX.entries} entries`);
    const host = hostNamed(written);
    if (host === null) bad.push(index + 1);
    else hosts.add(host);
  }
  return { hosts, bad };
}

/** Names that the parser of addresses leaves as they are: most of a long list. Punycode and numbers it looks into. */
const PLAIN_HOST = /^(?!.*xn--)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** A host as it stands in an address; `null` for what is more or less than one. */
function hostNamed(written: string): string | null {
  const bare = written.replace(/^\*?\./, '').replace(/\.$/, '');
  if (bare.length > MAX_HOST) return null;
  if (PLAIN_HOST.test(bare)) return bare;
  if (!URL.canParse(`http://${bare}/`)) return null;
  const { hostname, port, username, pathname } = new URL(`http://${bare}/`);
  const isBare = port === '' && username === '' && pathname === '/' && !/[/?#@\s\\]|:\d*$/.test(bare);
  // A single label would forbid a whole top-level domain.
  return isBare && (hostname.includes('.') || hostname.startsWith('[')) ? hostname : null;
}
