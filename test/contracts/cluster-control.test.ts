import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askControl } from '../../infra/cluster/control.ts';
import { ownEnvironment } from '../../infra/environment.ts';

setDefaultTimeout(60_000);

const MODULE = join(import.meta.dirname, '../../infra/cluster/control.ts');

let dir: string;
let listener: Server | null = null;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'perch-control-'));
});
afterEach(async () => {
  listener?.close();
  listener = null;
  await rm(dir, { recursive: true, force: true });
});

test('where no cluster has ever run, or one was killed, it says that none runs', async () => {
  const none = `no cluster runs with its data in ${dir}`;
  await expect(askControl(dir)).rejects.toThrow(none);
  await expect(askControl(join(dir, 'missing'))).rejects.toThrow('no cluster runs');
  const killed = Bun.spawn(
    [
      process.execPath,
      '-e',
      `import { openControl } from ${JSON.stringify(MODULE)};
      const text = async () => 'fine';
      await openControl(${JSON.stringify(dir)}, { status: text, scale: text });
      process.stdout.write('open');`,
    ],
    { stdin: 'ignore', stdout: 'pipe', stderr: 'inherit' },
  );
  await killed.stdout.getReader().read();
  expect(await askControl(dir)).toBe('fine');
  killed.kill('SIGKILL');
  await killed.exited;
  await expect(askControl(dir)).rejects.toThrow(none);
  await writeFile(join(dir, 'file'), '');
  await expect(askControl(join(dir, 'file'))).rejects.toThrow('no cluster runs');
});

test('a cluster that ends before it has answered is not taken for one that never ran', async () => {
  listener = createServer((socket) => void socket.once('data', () => socket.destroy()));
  const opened = listener;
  await new Promise<void>((resolve) => opened.listen(join(dir, 'control.sock'), () => resolve()));
  const ended = `the cluster with its data in ${dir} ended before it had answered`;
  await expect(askControl(dir, { content: 1 })).rejects.toThrow(ended);
});

test('an answer may take longer than a request may by default', async () => {
  // The change is done once a request that began after it has run into that limit.
  const asking = Bun.spawn(
    [
      process.execPath,
      '-e',
      `import { askControl, openControl } from ${JSON.stringify(MODULE)};
      const dir = ${JSON.stringify(dir)};
      const begun = Promise.withResolvers();
      const limit = Promise.withResolvers();
      await openControl(dir, {
        status: () => new Promise(() => {}),
        async scale() {
          begun.resolve();
          return await limit.promise;
        },
      });
      const asked = askControl(dir, { content: 1 });
      await begun.promise;
      await fetch('http://cluster/', { unix: dir + '/control.sock' }).catch(({ name }) => limit.resolve(name));
      process.stdout.write(await asked);
      process.exit(0);`,
    ],
    {
      env: { ...ownEnvironment(), BUN_CONFIG_HTTP_IDLE_TIMEOUT: '1' },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'inherit',
    },
  );
  expect(await asking.stdout.text()).toBe('TimeoutError');
});
