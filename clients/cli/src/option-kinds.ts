import type { Call } from './call.ts';
import { CommandError } from './failures.ts';
import type { Source } from './source.ts';

type Kind = Source['kind'];

const NAMES: Record<Kind, string> = {
  html: 'a page',
  json: 'a JSON document',
  file: 'a file',
  site: 'a site',
};

const ALL: readonly Kind[] = ['html', 'json', 'file', 'site'];

interface Meaning {
  /** Kinds that have what the option gives. */
  kinds: readonly Kind[];
  /** Kinds of which an update changes it. A file is made anew, with all of it. */
  updates: readonly Kind[];
  /** Kinds of which an update leaves it as it is, which is said: a command with it may be run again. */
  keeps?: readonly Kind[];
}

/** Options that do not mean something for every kind at every time; those that are not here do. */
const MEANINGS: Record<string, Meaning> = {
  title: { kinds: ALL, updates: ['html', 'file', 'site'], keeps: ['json'] },
  tag: { kinds: ALL, updates: ['file', 'site'] },
  ttl: { kinds: ALL, updates: ['file', 'site'] },
  password: { kinds: ALL, updates: ['file'] },
  format: { kinds: ['html'], updates: [] },
  entry: { kinds: ['site'], updates: ['site'] },
};

/** Refuses options that mean nothing for what is published: they would be dropped without a word. */
export function checkKind(call: Call, kind: Kind): void {
  for (const [name, { kinds }] of Object.entries(MEANINGS))
    if (call.has(name) && !kinds.includes(kind))
      throw new CommandError(
        `--${name} is for ${kinds.map((one) => NAMES[one]).join(', ')}. What is given here makes ${NAMES[kind]}.`,
      );
}

/**
 * Refuses options that an update can neither change nor leave as they are.
 * @param place begins the message
 */
export function checkChanges(call: Call, kind: Kind, place: string): void {
  for (const [name, { updates, keeps = [] }] of Object.entries(MEANINGS))
    if (call.has(name) && !updates.includes(kind) && !keeps.includes(kind))
      throw new CommandError(
        `${place}. An update of ${NAMES[kind]} does not change --${name}: it needs a new address (perch publish --new).`,
      );
}

/** Says after an update which options have changed nothing. */
export function noteKept(call: Call, kind: Kind): void {
  for (const [name, { keeps = [] }] of Object.entries(MEANINGS))
    if (call.has(name) && keeps.includes(kind))
      call.output.note(
        `The ${name} stays as it was: an update of ${NAMES[kind]} does not change it. Another one needs a new address (perch publish --new).`,
      );
}
