import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { appendFile, mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { until } from '../../infra/until.ts';
import { createLinkBlocklist, type LinkBlocklist } from '../../shared/scanning/link-blocklist.ts';

const MAX_BYTES = 16 * 1_048_576;
const MAX_ENTRIES = 500_000;
const log = pino({ level: 'silent' });

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-hosts-'));
});
beforeEach(() => {
  file = join(folder, crypto.randomUUID());
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A list of a file, as it is read first. */
async function listOf(text: string): Promise<LinkBlocklist> {
  await writeFile(file, text);
  const list = createLinkBlocklist(file, log);
  await list.refresh();
  return list;
}

/** Until the list, which looks once a second, is as wanted. */
const untilState = (list: LinkBlocklist, hosts: number, problem: string | null): Promise<void> =>
  until(`${hosts} hosts, and the problem ${problem}`, async () => {
    await list.refresh();
    const state = list.state();
    const isSaid = problem === null ? state.problem === null : state.problem?.includes(problem) === true;
    return state.hosts === hosts && isSaid;
  });

describe('the bounds of the file', () => {
  test.each([-1, 0])('one of %p bytes more than the most is read', async (more) => {
    const text = 'bad.example\n#';
    const list = await listOf(text + 'x'.repeat(MAX_BYTES + more - text.length));
    expect(list.state()).toEqual({ hosts: 1, badLines: 0, problem: null });
  });

  test('one of a byte more is not, and what was read before stays in force', async () => {
    const list = await listOf('bad.example\n#');
    await appendFile(file, 'x'.repeat(MAX_BYTES + 1 - 'bad.example\n#'.length));
    await untilState(list, 1, `it has more than ${MAX_BYTES} bytes`);
    expect(list.match('bad.example')).toBe('bad.example');
    await writeFile(file, 'other.example');
    await untilState(list, 1, null);
    expect([list.match('bad.example'), list.match('a.other.example')]).toEqual([null, 'other.example']);
  });

  test('so many entries are read, one more is not, whether they name hosts or not', async () => {
    const names = Array.from({ length: MAX_ENTRIES - 1 }, (_, n) => `h${n}.example`).join('\n');
    expect((await listOf(`# hosts\n\n${names}\nlast.test\n`)).state().hosts).toBe(MAX_ENTRIES);
    const refused = { hosts: 0, badLines: 0, problem: `it has more than ${MAX_ENTRIES} entries` };
    expect((await listOf(`${names}\na.test\nb.test`)).state()).toEqual(refused);
    expect((await listOf(`${names}\nbad\nbad`)).state()).toEqual(refused);
  });
});

describe('lines', () => {
  const long = (length: number): string => 'a.'.repeat(125) + 'b'.repeat(length - 250);

  test('a name has up to 253 characters; a line of megabytes names no host', async () => {
    expect([long(253).length, long(254).length]).toEqual([253, 254]);
    const list = await listOf(`${long(253)}\n${long(254)}\n${'x'.repeat(5_000_000)}.example\n`);
    expect(list.state()).toEqual({ hosts: 1, badLines: 2, problem: null });
  });

  test.each([
    ...['com', 'http://a.example', 'a.example/path', 'a.example:80', 'user@a.example', 'a b.example'],
    ...['a.example?x', '\\a.example', '..', '.', '*', '[::1', 'a..example\\', 'a%00.example', '<a.example>'],
  ])('%j names no host, and those around it count', async (line) => {
    const list = await listOf(`one.example\n${line}\ntwo.example`);
    expect(list.state()).toEqual({ hosts: 2, badLines: 1, problem: null });
  });

  test.each([
    ['A.Example', 'a.example'],
    ['a.example.', 'a.example'],
    ['*.a.example', 'sub.a.example'],
    ['.a.example', 'sub.a.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['a.example # why', 'a.example'],
    ['\ta.example\r', 'a.example'],
    ['0x7f.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['a_b.example', 'a_b.example'],
    ['a.1b.example', 'a.1b.example'],
  ])('%j stands for %s', async (line, host) => {
    const list = await listOf(line);
    expect(list.state()).toEqual({ hosts: 1, badLines: 0, problem: null });
    expect(list.match(host)).not.toBeNull();
  });
});

describe('a file that changes', () => {
  test('gone, a folder or a pipe it leaves the list in force, and back it is read anew', async () => {
    const list = await listOf('bad.example');
    await rm(file);
    await untilState(list, 1, 'ENOENT');
    for (const make of [() => mkdir(file), () => Bun.$`mkfifo ${file}`.quiet()]) {
      await make();
      await untilState(list, 1, 'it is no file');
      await rm(file, { recursive: true });
      await untilState(list, 1, 'ENOENT');
    }
    expect(list.match('bad.example')).toBe('bad.example');
    await writeFile(file, 'bad.example\nnew.example');
    await untilState(list, 2, null);
  });

  test('put in place of the one before by a rename it is read whole', async () => {
    const list = await listOf('old.example');
    await writeFile(`${file}.new`, 'new.example');
    await rename(`${file}.new`, file);
    await until('the new list', async () => {
      await list.refresh();
      return list.match('new.example') !== null;
    });
    expect(list.match('old.example')).toBeNull();
  });

  test('changed while it is read it is read again; none of it is in force before it is read whole', async () => {
    for (let time = 0; time < 3; time++) {
      await writeFile(file, `first.example\n#${'x'.repeat(8 * 1_048_576)}\nlast.example`);
      const list = createLinkBlocklist(file, log);
      const looking = list.refresh();
      // The look has begun by then; how far it has come does not matter.
      await stat(file);
      await appendFile(file, '\nlater.example');
      await looking;
      expect([0, 2, 3]).toContain(list.state().hosts);
      await untilState(list, 3, null);
    }
  });

  test('is read once for all who ask at once', async () => {
    await writeFile(file, 'bad.example');
    const lines: string[] = [];
    const counting = pino({ level: 'info' }, { write: (line: string) => lines.push(line) });
    const list = createLinkBlocklist(file, counting);
    await Promise.all(Array.from({ length: 20 }, () => list.refresh()));
    expect(lines.filter((line) => line.includes('was read'))).toHaveLength(1);
    expect(list.state().hosts).toBe(1);
  });
});
