import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CallOptions, ItemRef, Perch } from 'perch-client';
import { openPromise } from 'yauzl';
import { findItem } from '../address.ts';
import { listOf } from '../answers.ts';
import { writeFileAtomically } from '../atomic-file.ts';
import { type Call, type Command, PASSWORD } from '../call.ts';
import { CommandError, EXIT } from '../failures.ts';

const USAGE = 'get ADDRESS';

export const GET: Command = {
  name: 'get',
  usage: USAGE,
  takesPaths: true,
  summary: 'write what was published to stdout or a file; of a site its files to a folder',
  options: [
    { name: 'output', short: 'o', value: 'PATH', help: 'the file or folder; of a site its id when left out' },
    PASSWORD,
  ],
  async run(call) {
    call.expect(1, 1, USAGE);
    const [address = ''] = call.args;
    const { perch, ownerToken } = await call.owner(address);
    const { item, kind, rest } = await findItem(call, perch, address, ownerToken);
    const options = { ownerToken, password: call.text('password') };
    if (kind === 'file') return toOutput(call, (await perch.files.read(item, options)).body);
    if (kind === 'html') return toOutput(call, await perch.pages.read(item, options));
    if (kind === 'json') return toOutput(call, (await perch.json.read(item, options)).text);
    if (kind === 'site' && rest !== null)
      return toOutput(call, (await perch.sites.readFile(item, rest, options)).body);
    if (kind === 'site') return siteToFolder(call, perch, item, options);
    if (rest !== null) return toOutput(call, await perch.kv.getText(item, rest, options));
    const keys = listOf((await perch.kv.read(item, options)).keys);
    call.output.result(keys.join('\n'), keys);
  },
};

async function toOutput(call: Call, content: string | ReadableStream<Uint8Array> | null): Promise<void> {
  const path = call.text('output');
  const body =
    typeof content === 'string' ? Readable.from([content]) : Readable.fromWeb(content ?? emptyStream());
  if (path === undefined || path === '-') return await pipeline(body, process.stdout, { end: false });
  const existing = await stat(path).catch(() => null);
  // A device or a pipe is written to; a link goes on leading to its file.
  if (existing?.isFile() === false) return await pipeline(body, createWriteStream(path));
  await writeFileAtomically(existing === null ? path : await realpath(path), body, existing?.mode ?? 0o666);
}

const emptyStream = (): ReadableStream<Uint8Array> => new Blob([]).stream();

async function siteToFolder(call: Call, perch: Perch, item: ItemRef, options: CallOptions): Promise<void> {
  const folder = resolve(call.text('output') ?? item.id);
  if ((await readdir(folder).catch(() => [])).length > 0)
    throw new CommandError(`${folder} is not empty. Give another folder with --output.`);
  const { body } = await perch.sites.archive(item, options);
  const files = await unpackTo(folder, body ?? emptyStream());
  call.output.result(folder, { folder, files });
}

/**
 * Writes the files of a ZIP into a folder, one after the other. The archive lies in a temporary file meanwhile: where its
 * files are stands at its end.
 * @returns their paths
 */
export async function unpackTo(folder: string, archive: ReadableStream<Uint8Array>): Promise<string[]> {
  const temporary = await mkdtemp(join(tmpdir(), 'perch-get-'));
  try {
    const file = join(temporary, 'site.zip');
    await pipeline(Readable.fromWeb(archive), createWriteStream(file, { mode: 0o600 }));
    const zip = await openPromise(file);
    const paths: string[] = [];
    for await (const entry of zip.eachEntry()) {
      const target = insideOf(folder, entry.fileName);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(target));
      paths.push(entry.fileName);
    }
    return paths;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** Where a file of a site belongs; a path that leads out of the folder is refused, whatever the server says. */
function insideOf(folder: string, path: string): string {
  const target = join(folder, path);
  const inside = relative(folder, target);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside))
    throw new CommandError(`The site has a file "${path}", which would not be in ${folder}.`, EXIT.refused);
  return target;
}
