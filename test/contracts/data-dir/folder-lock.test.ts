import { afterEach, beforeEach, expect, test } from 'bun:test';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockFolder } from '../../../shared/adapters/data-dir/folder-lock.ts';

const MODULE = join(import.meta.dir, '../../../shared/adapters/data-dir/folder-lock.ts');
let temp = '';
const children: Bun.Subprocess[] = [];

beforeEach(async () => {
  temp = await mkdtemp(join(tmpdir(), 'perch-lock-'));
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await child.exited;
  }
  await rm(temp, { recursive: true, force: true });
});

/** A process that takes the lock, says how that went, and then waits for its end. */
function contender(dir: string) {
  const code = `
    import { lockFolder } from ${JSON.stringify(MODULE)};
    try { lockFolder(${JSON.stringify(dir)}); console.log('held'); }
    catch (error) { console.log('refused: ' + error.message); }
    setInterval(() => undefined, 1000);`;
  const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe', stderr: 'inherit' });
  children.push(child);
  return { child, said: firstLine(child.stdout) };
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const { value } = await stream.getReader().read();
  return new TextDecoder().decode(value).trim();
}

test('creates the folder, holds it against a second call, gives it up', () => {
  const dir = join(temp, 'a', 'b');
  const lock = lockFolder(dir);
  expect(() => lockFolder(dir)).toThrow(`${dir} is already in use by this very process`);
  lock.release();
  lock.release();
  lockFolder(dir).release();
});

test('refuses another process and says which folder and what to do; kill -9 of the holder frees it', async () => {
  const holder = contender(temp);
  expect(await holder.said).toBe('held');
  expect(() => lockFolder(temp)).toThrow(
    `${temp} is in use by another Perch process. Stop that process first`,
  );
  holder.child.kill('SIGKILL');
  await holder.child.exited;
  lockFolder(temp).release();
});

test('of processes that start at the same moment exactly one gets it', async () => {
  const said = await Promise.all(Array.from({ length: 6 }, () => contender(temp).said));
  expect(said.filter((line) => line === 'held')).toHaveLength(1);
  expect(said.filter((line) => line.includes('in use by another Perch process'))).toHaveLength(5);
});

test('a file in the place of the folder is named as the reason', async () => {
  const file = join(temp, 'file');
  await writeFile(file, '');
  expect(() => lockFolder(file)).toThrow('a file stands in its place');
  expect(() => lockFolder(join(file, 'below'))).toThrow('a file stands in its place');
});

test('a folder that cannot be written is refused', async () => {
  await mkdir(join(temp, 'taken', 'lock'), { recursive: true });
  expect(() => lockFolder(join(temp, 'taken'))).toThrow('cannot be locked');
  // Modes do not bind root; the kernel's own settings folder does.
  const readOnly = process.getuid?.() === 0 ? '/proc/sys' : join(temp, 'read-only');
  if (readOnly !== '/proc/sys') {
    await mkdir(readOnly);
    await chmod(readOnly, 0o555);
  }
  expect(() => lockFolder(readOnly)).toThrow('cannot be locked');
  expect(() => lockFolder(join(readOnly, 'new'))).toThrow('cannot be created');
});
