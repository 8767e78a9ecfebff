import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../servers/port.ts';
import { createChildServer } from '../../servers/server.ts';
import { tcpAnswer } from '../../servers/tcp-answer.ts';
import type { Bench } from '../measurement.ts';
import { created, type Peer } from './peer.ts';

export const MICROBIN = '2.1.4';

/** MicroBin keeps texts in SQLite and all of them in memory; it has one worker, as Perch has one gateway. */
export async function startMicrobin(bench: Bench, command: string): Promise<Peer> {
  const dir = join(bench.dir, 'microbin');
  const port = await freePort();
  await mkdir(dir);
  const url = `http://127.0.0.1:${port}`;
  const server = createChildServer({
    ...{ name: 'microbin', command: [command], port, workingDirectory: dir },
    logFile: join(dir, 'output.log'),
    env: {
      MICROBIN_BIND: '127.0.0.1',
      MICROBIN_PORT: String(port),
      MICROBIN_DATA_DIR: join(dir, 'data'),
      MICROBIN_DISABLE_TELEMETRY: 'true',
      MICROBIN_DISABLE_UPDATE_CHECKING: 'true',
      MICROBIN_HASH_IDS: 'false',
    },
    isReady: async () => (await tcpAnswer(port, 'GET / HTTP/1.0\r\n\r\n')) !== null,
  });
  await server.start();
  bench.defer(server.stop);
  return {
    name: `MicroBin ${MICROBIN}`,
    pids: server.processes(),
    async publish(text) {
      const body = new FormData();
      body.set('privacy', 'public');
      body.set('expiration', '24hour');
      body.set('content', text);
      const answer = await created(`${url}/upload`, { method: 'POST', body });
      const slug = (answer.headers.get('location') ?? '').split('/').at(-1) ?? '';
      return { page: `${url}/upload/${slug}`, raw: `${url}/raw/${slug}` };
    },
  };
}
