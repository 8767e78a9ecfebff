import type { Random } from '../random.ts';
import { type Actor, readAndJudge, sendChange } from './act.ts';
import type { Client } from './client.ts';
import { itemCall, type LoadKind, ownedBy, type Target } from './kinds/kind.ts';
import type { Change, Outcome } from './ledger.ts';
import type { Call } from './send.ts';

interface WriterOptions extends Actor {
  kind: LoadKind;
  random: Random;
  /** How many steps it makes at the most. */
  steps: number;
  /** Another target of the same writer; its register is in the ledger. */
  newTarget(): Target;
  /** Whether caches are never behind: because nothing is broken, or in spite of it. */
  isCalm(): boolean;
  isStopped(): boolean;
  /** Does one thing when traffic is not held. */
  step(act: () => Promise<void>): Promise<void>;
  /** Whether each step is followed by a read through every gateway. */
  readsBack: boolean;
}

/** Between two steps, in ms: it bounds the load. */
const PAUSE_MS = [20, 160] as const;

/** One writer: it does one thing after another with a target, as the dice fall, and then goes on to the next. */
export async function write(options: WriterOptions): Promise<void> {
  const { kind, client, random, isStopped } = options;
  let target = options.newTarget();
  for (let step = 0; step < options.steps && !isStopped(); step++) {
    const { register } = target;
    // Some of what is in doubt is left so: at the end it must be there whole, or not at all.
    if (register.certain === null && random.chance(0.4)) target = options.newTarget();
    else if (register.certain === 'absent' && register.existed !== false && random.chance(0.7)) {
      target = options.newTarget();
    }
    await options.step(async () => {
      await act(options, target);
      if (!options.readsBack) return;
      for (const gateway of client.gateways.keys()) await read(options, target, gateway);
    });
    await Bun.sleep(random.between(...PAUSE_MS));
  }
  const gateway = random.between(0, client.gateways.length - 1);
  for (const look of target.register.certain === 'absent' ? [] : kind.looks(target))
    await client.send(look, gateway);
}

async function act(options: WriterOptions, target: Target): Promise<void> {
  const { kind, random } = options;
  const { certain } = target.register;
  if (certain === 'absent') return await create(options, target);
  // After a create or a removal in doubt both may be: a removal ends the doubt.
  if (certain === null && target.register.mayBe('absent')) return await remove(options, target);
  const dice = random.next();
  if (dice < 0.15) return await remove(options, target);
  if (dice < 0.6 && kind.change !== null) return await change(options, target, kind.change);
  if (dice < 0.68 && kind.isItem) return await renew(options, target);
  if (dice < 0.76) return await look(options, target);
  await read(options, target, anyOf(options.client, random));
}

async function create(options: WriterOptions, target: Target): Promise<void> {
  const { kind, random } = options;
  const version = target.nextVersion++;
  const call = kind.create(target, version, crypto.randomUUID());
  const made = target.register.begin(version);
  // A client that was not told repeats it with the same key, at whichever gateway; some do although they were told.
  const attempts = random.chance(0.1) ? 3 : 2;
  for (let attempt = 0; attempt < attempts; attempt++) {
    const outcome = await send(options, target, made, call, kind.created);
    if (outcome === 'refused' || (outcome === 'done' && (attempts === 2 || attempt > 0))) return;
    if (outcome !== 'done' && random.chance(0.4)) return;
  }
}

async function change(
  options: WriterOptions,
  target: Target,
  callOf: (target: Target, version: number) => Call,
): Promise<void> {
  const version = target.nextVersion++;
  await send(options, target, target.register.begin(version), callOf(target, version), 200);
}

async function remove(options: WriterOptions, target: Target): Promise<void> {
  await send(options, target, target.register.begin('absent'), options.kind.remove(target), 204);
}

/** Counts the life anew: nothing of the content changes. */
async function renew({ client, random, onWrite }: WriterOptions, target: Target): Promise<void> {
  const call = { ...itemCall('POST', '/api', target, '/renew'), headers: ownedBy(target) };
  const seen = await client.send(
    { ...call, path: `${call.path}?ttl=${random.between(1, 30)}` },
    anyOf(client, random),
  );
  if (seen.answered && seen.status === 200) onWrite('acknowledged', seen);
}

async function look({ kind, client, random }: WriterOptions, target: Target): Promise<void> {
  const looks = kind.looks(target);
  if (looks.length > 0) await client.send(random.pick(looks), anyOf(client, random));
}

const read = (options: WriterOptions, target: Target, gateway: number): Promise<void> =>
  readAndJudge(options, target, options.random.pick(options.kind.reads(target)), gateway);

const send = (
  options: WriterOptions,
  target: Target,
  change: Change,
  call: Call,
  success: number,
): Promise<Outcome> =>
  sendChange(options, anyOf(options.client, options.random), { target, change, call, success });

const anyOf = (client: Client, random: Random): number => random.between(0, client.gateways.length - 1);

/** The answers to the readers of one page. */
export interface Views {
  /** Reads that count as a view. */
  counted: number;
  /** Reads that may have been counted, although they were not answered, or were refused. */
  uncertain: number;
}

const READ_PAUSE_MS = 15;
const READS = 400;

/** Reads a page through one gateway until it is told to stop, and tells what should have been counted. */
export async function view(
  client: Client,
  call: Call,
  gateway: number,
  { isStopped, step }: Pick<WriterOptions, 'isStopped' | 'step'>,
): Promise<Views> {
  const views: Views = { counted: 0, uncertain: 0 };
  for (let read = 0; read < READS && !isStopped(); read++) {
    await step(async () => {
      const seen = await client.send(call, gateway);
      if (seen.answered && seen.status === 200) views.counted += 1;
      else views.uncertain += 1;
    });
    await Bun.sleep(READ_PAUSE_MS);
  }
  return views;
}
