import { text } from 'node:stream/consumers';
import type { Command } from '../call.ts';
import { CommandError, EXIT } from '../failures.ts';
import { newToken } from '../owner-tokens.ts';

const USAGE = 'token [show|set [TOKEN]|new|forget]';

export const TOKEN: Command = {
  name: 'token',
  usage: USAGE,
  words: ['show', 'set', 'new', 'forget'],
  summary: 'show, set, make or forget the owner token that is kept for the server',
  options: [{ name: 'force', help: 'forget the token that is there: nobody can bring it back' }],
  async run(call) {
    call.expect(0, 2, USAGE);
    const [action = 'show', given] = call.args;
    const { url } = call.perch();
    const known = await call.tokens.read(url);
    if (given !== undefined && action !== 'set') throw new CommandError(`Usage: perch ${USAGE}`);
    if (action === 'show') {
      if (known === undefined)
        throw new CommandError(
          `No token is kept for ${url}. The first perch publish makes one.`,
          EXIT.notFound,
        );
      return call.output.result(known, { server: url, ownerToken: known, file: call.tokens.fileOf(url) });
    }
    if (known !== undefined && !call.has('force'))
      throw new CommandError(
        `A token is kept for ${url}. With --force it is forgotten: see perch token first.`,
      );
    if (action === 'set') {
      const token = given === undefined || given === '-' ? (await text(process.stdin)).trim() : given;
      await call.tokens.write(url, token);
    } else if (action === 'new') {
      await call.tokens.write(url, await newToken(call.perch()));
    } else if (action === 'forget') {
      await call.tokens.forget(url);
      return call.output.note(`The token for ${url} is forgotten.`);
    } else throw new CommandError(`Usage: perch ${USAGE}`);
    call.output.note(`The token for ${url} is in ${call.tokens.fileOf(url)}.`);
  },
};
