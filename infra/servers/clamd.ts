import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tcpAnswer } from './answers.ts';
import { commandPath, ensureCommands } from './debian.ts';
import { freePort } from './port.ts';
import { createChildServer, type Server } from './server.ts';

/** Bytes that clamd is to find, by a name that its answers end with `.UNOFFICIAL`. */
export interface Signature {
  name: string;
  /** These bytes anywhere in a content (`.ndb`), or a content of exactly these (`.hdb`). */
  part?: Uint8Array;
  whole?: Uint8Array;
}

export interface ClamdServer extends Server {
  /** For CLAMD_URL, over TCP. */
  url: string;
  /** For CLAMD_URL, over a socket in its folder. */
  socketUrl: string;
  /** Writes other signatures; a server that runs reads them in when it is started again. */
  learn(signatures: Signature[]): Promise<void>;
}

/** Settings that say where a server listens and keeps its files. */
const OF_PLACE = /^(?:TCPSocket|TCPAddr|LocalSocket|DatabaseDirectory|TemporaryDirectory) /;

/** ClamAV's daemon on a loopback port, with signatures of the caller's own and none else. */
export async function startClamd(options: {
  dir: string;
  signatures: Signature[];
  port?: number;
  /** StreamMaxLength. */
  maxBytes?: number;
  /** Settings of an operator, as the text of a clamd.conf; ports and folders in it are replaced. */
  settings?: string;
}): Promise<ClamdServer> {
  await ensureCommands(['clamd', 'setpriv']);
  const { dir, port = await freePort(), maxBytes = 25 * 1_048_576 } = options;
  const database = join(dir, 'signatures');
  const socket = join(dir, 'clamd.sock');
  const config = join(dir, 'clamd.conf');
  await mkdir(database, { recursive: true });
  const usual = [
    'Foreground yes',
    'MaxThreads 4',
    'SelfCheck 0',
    'ConcurrentDatabaseReload no',
    `StreamMaxLength ${maxBytes}`,
  ];
  const settings = [
    ...[`TCPSocket ${port}`, 'TCPAddr 127.0.0.1', `LocalSocket ${socket}`],
    ...[`DatabaseDirectory ${database}`, `TemporaryDirectory ${dir}`],
    ...(options.settings?.split('\n').filter((line) => !OF_PLACE.test(line)) ?? usual),
  ];
  await writeFile(config, `${settings.join('\n')}\n`);
  const learn = async (signatures: Signature[]): Promise<void> => {
    const parts = signatures.flatMap(({ name, part }) =>
      part === undefined ? [] : [`${name}:0:*:${Buffer.from(part).toString('hex')}`],
    );
    const wholes = signatures.flatMap(({ name, whole }) =>
      whole === undefined ? [] : [`${createHash('md5').update(whole).digest('hex')}:${whole.length}:${name}`],
    );
    // clamd refuses to start with no signature at all.
    const nothing = `${'0'.repeat(32)}:1:Perch-Nothing`;
    await writeFile(join(database, 'own.ndb'), `${parts.join('\n')}${parts.length > 0 ? '\n' : ''}`);
    await writeFile(join(database, 'own.hdb'), `${[...wholes, nothing].join('\n')}\n`);
  };
  await learn(options.signatures);
  const server = createChildServer({
    name: 'clamd',
    port,
    command: [commandPath('clamd'), '--config-file', config],
    workingDirectory: dir,
    logFile: join(dir, 'server.log'),
    isReady: async () => (await tcpAnswer(port, 'zPING\0')) === 'PONG\0',
  });
  await server.start();
  return { ...server, url: `tcp://127.0.0.1:${port}`, socketUrl: `unix://${socket}`, learn };
}

/**
 * The harmless bytes that every scanner finds by agreement (EICAR), put together here so that no scanner finds them in this
 * file.
 */
export const eicar = (): Uint8Array =>
  new TextEncoder().encode(
    ['X5O!P%@AP[4\\PZX54(P^)7CC)7}', '$EICAR-STANDARD-', 'ANTIVIRUS-TEST-FILE!', '$H+H*'].join(''),
  );
