import { createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CallOptions, ItemRef, Perch } from 'perch-client';
import type { Call } from '../call.ts';
import { type Command, PASSWORD } from '../command.ts';
import { CommandError } from '../failures.ts';
import { findItem } from '../find-item.ts';
import { unpackTo } from '../unpack.ts';

const USAGE = 'get ADDRESS';

export const GET: Command = {
  ...{ name: 'get', usage: USAGE, takesPaths: true },
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
    const { keys } = await perch.kv.read(item, options);
    call.output.result(keys.join('\n'), keys);
  },
};

async function toOutput(call: Call, content: string | ReadableStream<Uint8Array> | null): Promise<void> {
  const path = call.text('output');
  const target = path === undefined || path === '-' ? process.stdout : createWriteStream(path);
  const body =
    typeof content === 'string' ? Readable.from([content]) : Readable.fromWeb(content ?? emptyStream());
  await pipeline(body, target, { end: target !== process.stdout });
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
