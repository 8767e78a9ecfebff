import { type Command, PASSWORD } from '../command.ts';
import { CommandError } from '../failures.ts';
import { findItem } from '../find-item.ts';
import { withProgress } from '../progress.ts';
import { printable, replace } from '../publishing.ts';
import { PUBLISHABLE, readSource, type Source } from '../source.ts';

const USAGE = 'update ADDRESS FILE|DIR|-';

export const UPDATE: Command = {
  ...{ name: 'update', usage: USAGE, takesPaths: true },
  summary: 'give an item a new content at its address',
  options: [
    { name: 'title', value: 'TEXT', help: "a page's new title" },
    { name: 'entry', value: 'PATH', help: 'the file that a site begins with; else index.html' },
    { ...PASSWORD, help: 'the password that a file gets: it is made anew' },
  ],
  async run(call) {
    call.expect(2, 2, USAGE);
    const [address = '', path = ''] = call.args;
    const { perch, ownerToken } = await call.owner(address);
    const { item, kind } = await findItem(call, perch, address, ownerToken);
    if (kind === 'kv')
      throw new CommandError(`${address} is a store. Set its keys: perch kv set ${address} KEY VALUE`);
    const wanted = kind === 'html' ? 'page' : kind;
    const source: Source = await readSource(path, {
      ...{ kind: PUBLISHABLE.find((one) => one === wanted), name: undefined },
    });
    if (source.kind === 'site' && kind !== 'site')
      throw new CommandError(`${address} is no site. A folder can only replace a site.`);
    const settings = {
      title: call.text('title'),
      entry: call.text('entry'),
      password: call.text('password'),
    };
    const outcome = await withProgress(call.output, (onProgress) =>
      replace(perch, item, source, settings, { ownerToken, onProgress }),
    );
    call.output.result(outcome.url, printable(outcome));
  },
};
