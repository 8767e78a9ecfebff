import { expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchPath } from '../../clients/cli/src/watch-path.ts';
import { until } from '../../infra/until.ts';

test.each(['shown', '.hidden', 'node_modules'])('changes of a file in a folder %s are seen', async (name) => {
  const folder = await mkdtemp(join(tmpdir(), 'perch-watch-'));
  try {
    await mkdir(join(folder, name));
    const file = join(folder, name, 'x.md');
    await writeFile(file, '# One');
    const watched = await watchPath(file);
    let changes = 0;
    const ended = watched.each(async () => {
      changes += 1;
    });
    await writeFile(file, '# Two');
    await until('the change', async () => changes > 0, 10_000);
    process.emit('SIGINT');
    await ended;
    await watched.close();
    expect(changes).toBe(1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
