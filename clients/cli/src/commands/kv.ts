import { text } from 'node:stream/consumers';
import { resolveAddress } from '../address.ts';
import type { Call } from '../call.ts';
import { type Command, PASSWORD } from '../command.ts';
import { CommandError } from '../failures.ts';
import { isGone } from '../publishing.ts';

const USAGE = 'kv get|set|watch STORE KEY [VALUE|-]';

export const KV: Command = {
  ...{ name: 'kv', usage: USAGE, words: ['get', 'set', 'watch'] },
  summary: 'read, write or follow a key; a store that is not there is made by its first key',
  options: [
    { name: 'string', help: 'the value is a text, also when it could be JSON' },
    { name: 'ttl', value: 'DAYS', help: 'of a new store: days until it is deleted' },
    PASSWORD,
  ],
  async run(call) {
    const [action, store = '', key = '', ...rest] = call.args;
    const isSet = action === 'set';
    if ((!isSet && action !== 'get' && action !== 'watch') || key === '' || rest.length !== (isSet ? 1 : 0))
      throw new CommandError(`Usage: perch ${USAGE}`);
    if (isSet) await set(call, store, key, rest[0] ?? '');
    else await (action === 'get' ? get(call, store, key) : watch(call, store, key));
  },
};

async function get(call: Call, store: string, key: string): Promise<void> {
  const { perch, ownerToken } = await call.owner(store);
  const { item } = await resolveAddress(store, perch);
  const options = { ownerToken, password: call.text('password') };
  if (!call.output.isJson) call.output.result(await perch.kv.getText(item, key, options), null);
  else call.output.result('', await perch.kv.get(item, key, options));
}

async function set(call: Call, store: string, key: string, given: string): Promise<void> {
  const perch = call.perch(store);
  const { item } = await resolveAddress(store, perch);
  const json = jsonOf(given === '-' ? (await text(process.stdin)).trimEnd() : given, call.has('string'));
  const ownerToken = await call.tokens.readOrCreate(perch);
  try {
    const written = await perch.kv.setText(item, key, json, { ownerToken });
    call.output.result(written.link, written);
  } catch (error) {
    if (!isGone(error)) throw error;
    const { namespace: ns, id } = item;
    const ttl = call.text('ttl');
    const password = call.text('password');
    const { ownerToken: _, ...made } = await perch.kv.createText(key, json, {
      ...{ ns, id, ownerToken, password, ...(ttl === undefined ? {} : { ttl }) },
    });
    call.output.result(made.link, made);
  }
}

/** Each value on a line of its own. */
async function watch(call: Call, store: string, key: string): Promise<void> {
  const { perch, ownerToken } = await call.owner(store);
  const { item } = await resolveAddress(store, perch);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const options = { ownerToken, password: call.text('password'), signal: stop.signal };
  for await (const { value, version } of perch.kv.watch(item, key, options))
    call.output.result(JSON.stringify(value), { version, value });
  if (!stop.signal.aborted) call.output.note('The key is gone.');
}

/** JSON as it is; everything else is a text. */
function jsonOf(given: string, isText: boolean): string {
  if (isText) return JSON.stringify(given);
  try {
    JSON.parse(given);
    return given;
  } catch {
    return JSON.stringify(given);
  }
}
