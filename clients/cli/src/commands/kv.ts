import { buffer } from 'node:stream/consumers';
import { type ItemRef, type Perch, PerchError } from 'perch-client';
import { resolveAddress } from '../address.ts';
import { withTexts } from '../answers.ts';
import { type Call, type Command, PASSWORD } from '../call.ts';
import { defined } from '../defined.ts';
import { CommandError } from '../failures.ts';
import { isGone } from '../publishing.ts';
import { utf8Of } from '../utf8.ts';
import { withoutPassword } from '../without-password.ts';

const USAGE = 'kv get|set|increment|append|watch STORE KEY [VALUE|-]';

/** Each action, with the fewest and the most arguments behind the key. */
const ACTIONS = {
  get: { run: get, values: [0, 0] },
  set: { run: set, values: [1, 1] },
  increment: { run: increment, values: [0, 1] },
  append: { run: append, values: [1, 1] },
  watch: { run: watch, values: [0, 0] },
} as const;

export const KV: Command = {
  name: 'kv',
  usage: USAGE,
  words: Object.keys(ACTIONS),
  summary: 'read, write, change or follow a key; a store that is not there is made by its first key',
  options: [
    { name: 'string', help: 'the value is a text, also when it could be JSON' },
    { name: 'ttl', value: 'DAYS', help: 'of a new store: days until it is deleted' },
    { ...PASSWORD, help: 'the password of the store: to read it, or of a new one' },
  ],
  async run(call) {
    const [name, store = '', key = '', ...rest] = call.args;
    const action = Object.entries(ACTIONS).find(([known]) => known === name)?.[1];
    const [least, most] = action?.values ?? [0, 0];
    if (action === undefined || key === '' || rest.length < least || rest.length > most)
      throw new CommandError(`Usage: perch ${USAGE}`);
    if (key === '.' || key === '..') throw new CommandError(`"${key}" is no key: no store can have it.`);
    await action.run(call, store, key, rest[0] ?? '');
  },
};

/** The store of an address, which names no key as well: that is an argument of its own. */
async function findStore(address: string, perch: Perch): Promise<ItemRef> {
  const { item, rest } = await resolveAddress(address, perch);
  if (rest === null) return item;
  const { namespace, id } = item;
  throw new CommandError(
    `${withoutPassword(address)} names a key as well. Give the store, then its key: ${namespace}/${id} ${rest}`,
  );
}

async function get(call: Call, store: string, key: string): Promise<void> {
  const { perch, ownerToken } = await call.owner(store);
  const item = await findStore(store, perch);
  const options = { ownerToken, password: call.text('password') };
  if (!call.output.isJson) {
    call.output.result(await perch.kv.getText(item, key, options), null);
    return;
  }
  const { value: _, valueText, ...rest } = await perch.kv.get(item, key, options);
  call.output.resultAsText('', withValue(rest, valueText));
}

/** JSON with a value as it is written, as a number of JavaScript would lose digits. */
const withValue = (fields: object, valueText: string): string =>
  `${JSON.stringify(fields).slice(0, -1)},"value":${valueText}}`;

async function set(call: Call, store: string, key: string, given: string): Promise<void> {
  const json = await jsonGiven(call, given);
  const written = await write(call, store, key, {
    change: ({ perch, item, ownerToken }) => perch.kv.setText(item, key, json, { ownerToken }),
    first: json,
  });
  call.output.result(written.link, written);
}

async function increment(call: Call, store: string, key: string, given: string): Promise<void> {
  const by = given === '' ? 1 : Number(given);
  if (!Number.isSafeInteger(by) || (given !== '' && given.trim() === ''))
    throw new CommandError(`"${given}" is no whole number.`);
  const written = await write(call, store, key, {
    change: ({ perch, item, ownerToken }) => perch.kv.increment(item, key, by, { ownerToken }),
    first: String(by),
  });
  const value = 'value' in written ? written.value : by;
  call.output.result(String(value), { ...written, value });
}

async function append(call: Call, store: string, key: string, given: string): Promise<void> {
  const json = await jsonGiven(call, given);
  const written = await write(call, store, key, {
    change: ({ perch, item, ownerToken }) => perch.kv.appendText(item, key, json, { ownerToken }),
    first: `[${json}]`,
  });
  call.output.result(written.link, written);
}

interface Written {
  /** Changes a store that is there. */
  change(at: { perch: Perch; item: ItemRef; ownerToken: string }): Promise<{ link: string }>;
  /** The key's first value, as JSON, where there is no store. */
  first: string;
}

async function write(
  call: Call,
  store: string,
  key: string,
  { change, first }: Written,
): Promise<{ link: string }> {
  const perch = call.perch(store);
  const item = await findStore(store, perch);
  const ownerToken = await call.tokens.readOrCreate(perch);
  const { namespace: ns, id } = item;
  const ttl = call.text('ttl');
  const password = call.text('password');
  const changed = async (): Promise<{ link: string } | null> => {
    if (password !== undefined) await checkPassword(perch, item, password);
    const done = await change({ perch, item, ownerToken }).catch(unlessGone);
    if (done !== null && ttl !== undefined)
      call.output.note(
        `${ns}/${id} was there: its days stay as they are. To count them anew: perch renew ${ns}/${id} --ttl ${ttl}`,
      );
    return done;
  };
  const done = await changed();
  if (done !== null) return withTexts(done, 'link');
  try {
    const options = { ns, id, ownerToken, password, ...defined({ ttl }) };
    const created = await perch.kv.createText(key, first, options);
    const { ownerToken: _, ...made } = withTexts(created, 'link', 'expiresAt');
    const readers = made.hasPassword ? 'its password opens it' : 'everybody who has its address can read it';
    call.output.note(
      `made the store ${ns}/${id}: ${readers}; it is there until ${made.expiresAt.slice(0, 10)}`,
    );
    return made;
  } catch (error) {
    // Another run may have made the store meanwhile.
    const late = error instanceof PerchError && error.code === 'ID_TAKEN' ? await changed() : null;
    if (late === null) throw error;
    return withTexts(late, 'link');
  }
}

const unlessGone = (error: unknown): null => {
  if (isGone(error)) return null;
  throw error;
};

/** Refuses a password that a store which is there does not have: a write gives it none. */
async function checkPassword(perch: Perch, item: ItemRef, password: string): Promise<void> {
  const protection = await perch.kv.read(item).then(
    () => 'none',
    (error: unknown) =>
      error instanceof PerchError && error.code === 'PASSWORD_REQUIRED' ? 'password' : unlessGone(error),
  );
  if (protection === null) return;
  if (protection === 'none')
    throw new CommandError(
      `${item.namespace}/${item.id} is there without a password, and a write gives it none. Nothing is written. Choose another store.`,
    );
  await perch.kv.read(item, { password });
}

/** Each value on a line of its own. */
async function watch(call: Call, store: string, key: string): Promise<void> {
  const { perch, ownerToken } = await call.owner(store);
  const item = await findStore(store, perch);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const options = { ownerToken, password: call.text('password'), signal: stop.signal };
  for await (const { valueText, version } of perch.kv.watch(item, key, options))
    call.output.resultAsText(valueText, withValue({ version }, valueText));
  if (!stop.signal.aborted) call.output.note('The key is gone.');
}

/** JSON as it is; everything else is a text. A single `-` stands for stdin. */
async function jsonGiven(call: Call, argument: string): Promise<string> {
  const given =
    argument === '-' ? utf8Of(await buffer(process.stdin), 'The value').replace(/\r?\n$/, '') : argument;
  if (call.has('string')) return JSON.stringify(given);
  try {
    JSON.parse(given);
    return given;
  } catch {
    return JSON.stringify(given);
  }
}
