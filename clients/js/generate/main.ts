import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_SERVERS } from '../../../infra/environment.ts';
import { startService } from '../../../infra/service-process.ts';
import { TYPES_FILE, typesOf } from './types-of.ts';

/** The document of a Perch that is started for it: it is asked over HTTP, so how it is made does not matter here. */
async function readDocument(): Promise<unknown> {
  const dir = await mkdtemp(join(tmpdir(), 'perch-types-'));
  try {
    const perch = await startService('embedded', {
      dir,
      env: { ...NO_SERVERS, DATA_DIR: join(dir, 'data') },
    });
    try {
      return await (await fetch(`${perch.url}/docs/json`)).json();
    } finally {
      await perch.stop();
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

await writeFile(TYPES_FILE, await typesOf(await readDocument()));
process.stdout.write(`${TYPES_FILE.pathname} is up to date.\n`);
