import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../servers/port.ts';
import { createChildServer } from '../../servers/server.ts';
import { tcpAnswer } from '../../servers/tcp-answer.ts';
import type { Bench } from '../measurement.ts';
import { created, type Peer } from './peer.ts';

export const RUSTYPASTE = '0.18.1';

/** rustypaste keeps each text as a file, and serves it as it is; its log goes to a file. */
export async function startRustypaste(bench: Bench, command: string): Promise<Peer> {
  const dir = join(bench.dir, 'rustypaste');
  const port = await freePort();
  const config = join(dir, 'config.toml');
  await mkdir(dir);
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
  const server = createChildServer({
    ...{ name: 'rustypaste', command: [command], port, workingDirectory: dir },
    ...{ logFile: join(dir, 'output.log'), env: { CONFIG: config } },
    isReady: async () => (await tcpAnswer(port, 'GET / HTTP/1.0\r\n\r\n')) !== null,
  });
  await server.start();
  bench.defer(server.stop);
  return {
    name: `rustypaste ${RUSTYPASTE}`,
    pids: server.processes(),
    async publish(text) {
      const body = new FormData();
      body.set('file', new File([text], 'note.txt', { type: 'text/plain' }));
      const answer = await created(`http://127.0.0.1:${port}/`, { method: 'POST', body });
      return { page: null, raw: (await answer.text()).trim() };
    },
  };
}
