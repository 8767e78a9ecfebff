import type { Perch } from 'perch-client';
import { findItem, refusePart } from '../address.ts';
import { type Call, type Command, type Option, PASSWORD } from '../call.ts';
import { CommandError, messageOf } from '../failures.ts';
import { checkChanges, checkKind, noteKept } from '../option-kinds.ts';
import { withProgress } from '../output.ts';
import {
  type CreateSettings,
  create,
  isGone,
  type Outcome,
  PAGE_FORMATS,
  printable,
  recordOf,
  replace,
  requireOutcome,
  sending,
} from '../publishing.ts';
import { findRecord, keepRecord, type Published } from '../records.ts';
import { openInBrowser, qrOf } from '../show-address.ts';
import { PUBLISHABLE, readSource, type Source } from '../source.ts';
import { watchPath } from '../watch-path.ts';
import { withoutPassword } from '../without-password.ts';

const USAGE = 'publish FILE|DIR|-';

const OPTIONS: readonly Option[] = [
  { name: 'ns', value: 'NAME', help: 'the namespace; else public, where everybody can find it' },
  { name: 'id', value: 'ID', help: 'the id in the namespace; else a random one' },
  { name: 'tag', value: 'TAG', many: true, help: 'a tag; may be repeated' },
  { name: 'ttl', value: 'DAYS', help: 'days until it is deleted, 1 to 30; else 15' },
  { name: 'password', value: 'TEXT', help: 'who reads it has to give this password' },
  { name: 'format', value: 'FORMAT', help: `of a page: ${PAGE_FORMATS.join(', ')}` },
  { name: 'title', value: 'TEXT', help: 'how it is named' },
  { name: 'entry', value: 'PATH', help: 'the file that a site begins with; else index.html' },
  {
    name: 'kind',
    value: 'KIND',
    help: `what to make of it: ${PUBLISHABLE.join(', ')}; else told by its content`,
  },
  { name: 'name', value: 'NAME', help: 'the name of what comes from stdin: its extension tells what it is' },
  { name: 'new', help: 'at a new address, although this path was published before' },
  { name: 'watch', short: 'w', help: 'publish again at each change, until Ctrl-C' },
  { name: 'open', help: 'show it in the browser' },
  { name: 'qr', help: 'show its address as a QR code' },
];

export const PUBLISH: Command = {
  name: 'publish',
  usage: USAGE,
  options: OPTIONS,
  takesPaths: true,
  summary: 'publish a file, a folder or stdin; the same path again is an update',
  async run(call) {
    call.expect(1, 1, USAGE);
    const [path = ''] = call.args;
    if (path === '-' && call.has('watch')) throw new CommandError('--watch needs a file or a folder.');
    const perch = call.perch();
    const changes = call.has('watch') ? await watchPath(path) : null;
    try {
      const { outcome: first, record } = await publish(call, perch, path, {
        isNew: call.has('new') || path === '-',
        known: null,
      });
      if (call.has('open')) await openInBrowser(first.url);
      if (call.has('qr')) call.output.picture(await qrOf(first.url));
      if (changes !== null) call.output.note('Watching for changes; Ctrl-C ends it.');
      await changes?.each(async () => {
        await publish(call, perch, path, { isNew: false, known: record }).catch((error: unknown) =>
          call.output.failure(error),
        );
      });
    } finally {
      await changes?.close();
    }
  },
};

interface Round {
  isNew: boolean;
  /**
   * Where a watch has published the path before, which a folder that was made anew does not say; options that an update cannot
   * change were for that time.
   */
  known: Published | null;
}

async function publish(
  call: Call,
  perch: Perch,
  path: string,
  { isNew, known }: Round,
): Promise<{ outcome: Outcome; record: Published }> {
  const isAgain = known !== null;
  const source = await readSource(path, { kind: call.oneOf('kind', PUBLISHABLE), name: call.text('name') });
  checkKind(call, source.kind);
  if (source.kind === 'site')
    for (const link of source.links) call.output.note(`left out ${link}: it is a link`);
  const record = isNew ? null : ((await findRecord(path, perch.url)) ?? known);
  const ownerToken = await call.tokens.readOrCreate(perch);
  const settings = settingsOf(call);
  const note = (text: string): void => call.output.note(text);
  const send = withProgress(call.output, async (onProgress) => {
    if (record !== null) {
      checkUpdate(call, path, source, record, isAgain);
      // Else each change of a watched path would count the days anew.
      const changes = isAgain ? { ...settings, ttl: undefined, tags: undefined } : settings;
      const how = { ownerToken, onProgress, note };
      const updated = await replace(perch, record, source, changes, how).catch((error: unknown) => {
        if (isGone(error)) return null;
        throw error;
      });
      if (updated !== null) return { outcome: updated, done: 'updated' };
    }
    if (record?.hasPassword && settings.password === undefined)
      throw new CommandError(
        `${path} had a password at ${record.url}, where it is no more. Give --new and --password to publish it again.`,
      );
    // An expired item comes back at its address.
    const place = record === null ? {} : { ns: record.namespace, id: record.id };
    const made = await create(perch, source, { ...settings, ...place }, { ownerToken, onProgress });
    return { outcome: made, done: 'published' };
  });
  const { outcome, done } = await sending(path, source, send);
  requireOutcome(outcome);
  const published = recordOf(source, outcome, record);
  // Before the result is written: a reader that has gone ends the process.
  if (path !== '-')
    await keepRecord(path, perch.url, published).catch((error: unknown) =>
      call.output.note(
        `Where it is could not be noted beside ${path} (${messageOf(error)}). Published again it gets another address; to change it: perch update ${outcome.url} ${path}`,
      ),
    );
  call.output.result(outcome.url, printable(outcome));
  call.output.note(`${done}; it is there until ${outcome.expiresAt.slice(0, 10)}`);
  if (done === 'updated' && !isAgain) noteKept(call, source.kind);
  noteWarnings(call, outcome);
  return { outcome, record: published };
}

/** Says what the service has found in what was taken. */
function noteWarnings(call: Call, { quarantine, result }: Outcome): void {
  if (quarantine !== undefined)
    call.output.note(
      `It is in quarantine, where nobody but you can read it: ${[quarantine.cause, quarantine.verdict].filter(Boolean).join(', ')}.`,
    );
  const missing = result?.extras?.localAssetRefs ?? [];
  if (missing.length > 0)
    call.output.note(
      `The page asks for files beside it, which it does not have there: ${missing.join(', ')}. Publish their folder instead.`,
    );
  else if (result?.reason !== undefined) call.output.note(result.reason);
}

const settingsOf = (call: Call): CreateSettings => ({
  ns: call.text('ns'),
  id: call.text('id'),
  title: call.text('title'),
  tags: call.texts('tag'),
  ttl: call.text('ttl'),
  password: call.text('password'),
  entry: call.text('entry'),
  format: call.oneOf('format', PAGE_FORMATS),
});

/** Says what an update cannot do, before it does the rest. */
function checkUpdate(call: Call, path: string, source: Source, record: Published, isAgain: boolean): void {
  const place = `${path} is published at ${record.url}`;
  if (record.kind !== source.kind)
    throw new CommandError(`${place} as another kind (${record.kind}). Give --new for a new address.`);
  const { ns = record.namespace, id = record.id } = settingsOf(call);
  if (ns !== record.namespace || id !== record.id)
    throw new CommandError(`${place}. Give --new to publish it at another address as well.`);
  if (!isAgain) checkChanges(call, source.kind, place);
}

const UPDATE_USAGE = 'update ADDRESS FILE|DIR|-';

export const UPDATE: Command = {
  name: 'update',
  usage: UPDATE_USAGE,
  takesPaths: true,
  summary: 'give an item a new content at its address',
  options: [
    { name: 'title', value: 'TEXT', help: 'the new title of a page, a file or a site' },
    { name: 'entry', value: 'PATH', help: 'the file that a site begins with; else index.html' },
    { ...PASSWORD, help: 'the password that a file gets: it is made anew' },
  ],
  async run(call) {
    call.expect(2, 2, UPDATE_USAGE);
    const [address = '', path = ''] = call.args;
    const { perch, ownerToken } = await call.owner(address);
    const found = await findItem(call, perch, address, ownerToken);
    const { item, kind, rest } = found;
    const place = `${item.namespace}/${item.id}`;
    if (kind === 'kv')
      throw new CommandError(
        `${place} is a store. Set its keys: perch kv set ${place} ${rest ?? 'KEY'} VALUE`,
      );
    refusePart(found, address, 'is replaced as a whole');
    const source: Source = await readSource(path, { kind, name: undefined });
    if (source.kind === 'site' && kind !== 'site')
      throw new CommandError(`${withoutPassword(address)} is no site. A folder can only replace a site.`);
    checkKind(call, source.kind);
    checkChanges(call, source.kind, `${place} keeps its address`);
    const settings = {
      title: call.text('title'),
      entry: call.text('entry'),
      password: call.text('password'),
    };
    const send = withProgress(call.output, (onProgress) =>
      replace(perch, item, source, settings, {
        ownerToken,
        onProgress,
        note: (text) => call.output.note(text),
      }),
    );
    const outcome = await sending(path, source, send);
    requireOutcome(outcome);
    call.output.result(outcome.url, printable(outcome));
    noteWarnings(call, outcome);
    noteKept(call, source.kind);
  },
};
