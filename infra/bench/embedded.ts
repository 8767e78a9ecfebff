import { join, resolve } from 'node:path';
import { NO_SERVERS } from '../environment.ts';
import { freePort } from '../servers/port.ts';
import { createChildServer, type Server } from '../servers/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');

export interface Embedded extends Server {
  url: string;
  /** Its id while it runs. */
  pid(): number;
}

/** The embedded mode as `npm start` starts it, without npm; not started yet. Its start resolves when it is ready. */
export async function embeddedAt(dataDir: string, logFile: string): Promise<Embedded> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = createChildServer({
    name: 'embedded',
    command: [process.execPath, join(ROOT, 'services/embedded/main.ts')],
    port,
    logFile,
    workingDirectory: ROOT,
    env: {
      ...NO_SERVERS,
      ...{
        DATA_DIR: dataDir,
        PORT: String(port),
        HOST: '127.0.0.1',
        BASE_URL: url,
        LIMIT_UPLOADS_PER_HOUR: '1000',
      },
    },
    isReady: async () => {
      try {
        const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) });
        await answer.arrayBuffer();
        return answer.ok;
      } catch {
        return false;
      }
    },
  });
  return {
    ...server,
    url,
    pid() {
      const [pid] = server.processes();
      if (pid === undefined) throw new Error('the embedded mode does not run');
      return pid;
    },
  };
}
