import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { ensureCommands, isDebian } from '../servers/debian.ts';
import { createChildServer } from '../servers/server.ts';
import { until } from '../until.ts';
import { canHaveMinio, debianTree, minioBinary } from './cache.ts';
import { type Engine, type Ran, runToEnd } from './engine.ts';
import { buildStandIns } from './stand-ins.ts';

const RUN = join(import.meta.dirname, 'run.sh');
/** A disk that is busy may keep its program waiting. */
const START_LIMIT_MS = 180_000;
/** Images are gigabytes of small files. */
const REMOVE_LIMIT_MS = 240_000;
const GROUPS = '/sys/fs/cgroup';

/**
 * A Docker engine from Debian packages in its own namespaces, with stand-ins for all images, so that no registry is
 * needed. Only published ports are visible from outside, on the loopback interface. The engine ends with this process
 * at the latest. Layers that take minutes to build are cached.
 * @throws Error where `whyNoOwnEngine` has a reason
 */
export async function startOwnEngine({
  folders,
  ports,
}: {
  folders: string[];
  ports: number[];
}): Promise<Engine> {
  await ensureCommands(['mmdebstrap', 'slirp4netns', 'setpriv']);
  const [tree, minio] = await Promise.all([debianTree(), minioBinary()]);
  const work = await mkdtemp(join(tmpdir(), 'perch-engine-'));
  const data = join(work, 'data');
  const context = join(work, 'context');
  await Promise.all([mkdir(data), mkdir(context)]);

  const inside = async (command: string[], limitMs?: number): Promise<Ran> => {
    const first = (await readFile(join(work, 'pid'), 'utf8')).trim();
    const environment = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root'];
    return await runToEnd(
      ['nsenter', ...['-m', '-n', '-p', '-i', '-u', '-t', first, 'env', '-i'], ...environment, ...command],
      limitMs,
    );
  };
  const server = createChildServer({
    name: 'Docker',
    command: ['sh', RUN, tree, data, work, context, ...folders],
    port: ports[0] ?? 0,
    logFile: join(work, 'engine.log'),
    workingDirectory: work,
    prepare: () => rm(join(work, 'pid'), { force: true }),
    isReady: async () =>
      existsSync(join(work, 'pid')) && (await inside(['docker', 'info']).then(Boolean, () => false)),
    readyWithinMs: START_LIMIT_MS,
  });
  const start = async (): Promise<void> => {
    await server.start();
    for (const port of ports) await forward(join(work, 'network.sock'), port);
  };
  const stop = async (): Promise<void> => {
    await server.kill();
    await runToEnd(['rm', '-rf', '--one-file-system', work], REMOVE_LIMIT_MS);
    await removeGroups(basename(work));
  };
  try {
    await start();
    await buildStandIns({ inside, tree, context, minio });
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name: 'a Docker engine of its own, with stand-ins for its images',
    docker: (args, limitMs) => inside(['docker', ...args], limitMs),
    readProcessFile: async (pid, file) => (await inside(['cat', `/proc/${pid}/${file}`])).output,
    async cutPower() {
      await server.kill();
      await start();
    },
    stop,
  };
}

/** Why this machine cannot have one; `null`: it can. */
export function whyNoOwnEngine(): string | null {
  if (process.platform !== 'linux' || !isDebian())
    return 'it is made of Debian packages, and this is no Debian';
  if (process.geteuid?.() !== 0) return 'namespaces and mounts need root';
  if (Bun.which('unshare') === null || Bun.which('nsenter') === null) return 'util-linux is not there';
  if (!canHaveMinio())
    return 'MinIO is missing: put minio into the path, name it by MINIO_BIN, or install Go';
  return null;
}

/** Asks slirp4netns to lead a port of the loopback interface to the same port inside. */
function forward(socket: string, port: number): Promise<void> {
  const addresses = { host_addr: '127.0.0.1', host_port: port, guest_port: port };
  const request = { execute: 'add_hostfwd', arguments: { proto: 'tcp', ...addresses } };
  return new Promise((resolve, reject) => {
    let answer = '';
    const client = connect(socket, () => client.end(JSON.stringify(request)));
    client.setEncoding('utf8');
    client.setTimeout(5_000, () => client.destroy(new Error('slirp4netns does not answer')));
    client.on('data', (text: string) => {
      answer += text;
    });
    client.on('error', reject);
    client.on('end', () => {
      if (answer.includes('"return"')) resolve();
      else reject(new Error(`port ${port} cannot be led inside: ${answer}`));
    });
  });
}

/** The kernel keeps the control groups of an engine that was killed, for a moment with the last of its processes. */
async function removeGroups(name: string): Promise<void> {
  const remove = async (folder: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries) if (entry.isDirectory()) await remove(join(folder, entry.name));
    await rmdir(folder);
  };
  const controllers = (await readdir(GROUPS)).map((controller) => join(GROUPS, controller, name));
  const groups = [join(GROUPS, name), ...controllers].filter((folder) => existsSync(folder));
  for (const group of groups)
    await until(`${group} is empty`, () =>
      remove(group).then(
        () => true,
        () => !existsSync(group),
      ),
    );
}
