import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { tcpAnswer } from '../../servers/answers.ts';
import { freePort } from '../../servers/port.ts';
import { createChildServer } from '../../servers/server.ts';
import type { Bench } from '../measurement.ts';
import { type Addresses, created, type Peer } from './peer.ts';

/** A peer that cargo builds from crates.io. */
interface Crate {
  name: string;
  version: string;
  /** Writes what it needs into its folder, and says how it is told of that. */
  settings(dir: string, port: number): Promise<Record<string, string>>;
  publish(url: string, text: string): Promise<Addresses>;
}

export const CRATES: readonly Crate[] = [
  {
    // Keeps each text as a file, and serves it as it is; its log goes to a file.
    name: 'rustypaste',
    version: '0.18.1',
    async settings(dir, port) {
      const config = join(dir, 'config.toml');
      await writeFile(
        config,
        `[config]
refresh_rate = "1h"
[server]
address = "127.0.0.1:${port}"
max_content_length = "10MB"
upload_path = "${dir}/upload"
timeout = "30s"
[paste]
random_url = { type = "alphanumeric", length = 8 }
default_extension = "txt"
duplicate_files = true
`,
      );
      return { CONFIG: config };
    },
    async publish(url, text) {
      const body = new FormData();
      body.set('file', new File([text], 'note.txt', { type: 'text/plain' }));
      const answer = await created(`${url}/`, { method: 'POST', body });
      return { page: null, raw: (await answer.text()).trim() };
    },
  },
  {
    // Keeps texts in SQLite and all of them in memory; it has one worker, as Perch has one gateway.
    name: 'microbin',
    version: '2.1.4',
    settings: async (dir, port) => ({
      MICROBIN_BIND: '127.0.0.1',
      MICROBIN_PORT: String(port),
      MICROBIN_DATA_DIR: join(dir, 'data'),
      MICROBIN_DISABLE_TELEMETRY: 'true',
      MICROBIN_DISABLE_UPDATE_CHECKING: 'true',
      MICROBIN_HASH_IDS: 'false',
    }),
    async publish(url, text) {
      const body = new FormData();
      body.set('privacy', 'public');
      body.set('expiration', '24hour');
      body.set('content', text);
      const answer = await created(`${url}/upload`, { method: 'POST', body });
      const slug = (answer.headers.get('location') ?? '').split('/').at(-1) ?? '';
      return { page: `${url}/upload/${slug}`, raw: `${url}/raw/${slug}` };
    },
  },
];

/** Starts a peer, built at the first call. `null` where there is no cargo. @throws Error when the build fails */
export async function startCrate(bench: Bench, crate: Crate): Promise<Peer | null> {
  const { name, version } = crate;
  const command = await buildCrate(crate, bench.progress);
  if (command === null) return null;
  const dir = join(bench.dir, name);
  const port = await freePort();
  await mkdir(dir);
  const server = createChildServer({
    name,
    command: [command],
    port,
    workingDirectory: dir,
    logFile: join(dir, 'output.log'),
    env: await crate.settings(dir, port),
    isReady: async () => (await tcpAnswer(port, 'GET / HTTP/1.0\r\n\r\n')) !== null,
  });
  await server.start();
  bench.defer(server.stop);
  return {
    name: `${name} ${version}`,
    pids: server.processes(),
    publish: (text) => crate.publish(`http://127.0.0.1:${port}`, text),
  };
}

/** Peers that are built once stay here. */
const ROOT = join(homedir(), '.cache', 'perch-bench');

/** The command of a crate, which takes some minutes of a processor to build. @throws Error with the end of cargo's output */
async function buildCrate({ name, version }: Crate, say: Bench['progress']): Promise<string | null> {
  const folder = join(ROOT, `${name}-${version}`);
  const command = join(folder, 'bin', name);
  if (existsSync(command)) return command;
  const cargo = Bun.which('cargo');
  if (cargo === null) return null;
  say(`building ${name} ${version}, once; this takes some minutes`);
  const build = Bun.spawn([cargo, 'install', name, '--version', version, '--locked', '--root', folder], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  });
  const [output, code] = await Promise.all([build.stderr.text(), build.exited]);
  if (code !== 0) throw new Error(`cargo could not build ${name}:\n${output.slice(-2_000)}`);
  return command;
}
