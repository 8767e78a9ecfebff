import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { $ } from 'bun';
import { commandPath, ensureCommands } from './debian.ts';
import { answersOk } from './http-answer.ts';
import { freePort } from './port.ts';
import type { S3Server } from './s3.ts';
import { createChildServer } from './server.ts';
import { type SwiftPorts, swiftCredentials, swiftFiles } from './swift-config.ts';

const LAUNCHER = join(import.meta.dirname, 'swift.py');

/** Debian's own Python, where the Swift packages put their modules; another may come first on the PATH. */
const PYTHON = '/usr/bin/python3';

/** The commands that Swift consists of. */
export const swiftCommands = [
  'swift-proxy-server',
  'swift-account-server',
  'swift-container-server',
  'swift-object-server',
  'memcached',
] as const;

/** OpenStack Swift with its S3 API on loopback ports, objects and metadata in `dir`, which must support xattrs. */
export async function startSwift(options: { dir: string; port?: number }): Promise<S3Server> {
  await ensureCommands([...swiftCommands, 'setpriv']);
  const dir = resolve(options.dir);
  const ports: SwiftPorts = {
    proxy: options.port ?? (await freePort()),
    account: await freePort(),
    container: await freePort(),
    object: await freePort(),
    memcached: await freePort(),
  };
  const user = (await $`id -un`.text()).trim();
  const memcached = [
    commandPath('memcached'),
    ...['-u', user, '-l', '127.0.0.1', '-p', String(ports.memcached), '-U', '0', '-m', '32', '-t', '1'],
  ];
  await mkdir(dir, { recursive: true });
  for (const [name, text] of Object.entries(swiftFiles({ folder: dir, user, ports }, memcached))) {
    await writeFile(join(dir, name), text);
  }
  const server = createChildServer({
    name: 'S3 (Swift)',
    port: ports.proxy,
    // -I keeps PYTHON* variables and the folder of the script out of the module search.
    command: [PYTHON, '-I', LAUNCHER, dir],
    workingDirectory: dir,
    logFile: join(dir, 'server.log'),
    isReady: async () => {
      const { proxy, account, container, object } = ports;
      const addresses = [proxy, account, container, object].map(
        (own) => `http://127.0.0.1:${own}/healthcheck`,
      );
      const answers = await Promise.all(addresses.map(answersOk));
      return answers.every(Boolean);
    },
  });
  await server.start();
  return { ...server, endpoint: `http://127.0.0.1:${ports.proxy}`, ...swiftCredentials };
}
