import { once } from './archive-case.ts';
import { type ValidArchive, validArchives } from './valid-archives.ts';

/** A sound archive after an accident: it is refused cleanly, or becomes exactly the site that it was. */
export interface Mutation {
  name: string;
  /** The archive before the mutation. */
  origin: ValidArchive;
  build(): Uint8Array;
}

const ORIGINS = ['plain', 'streamed, with descriptors', 'ZIP64 although it is small', 'with a comment'];
const PER_ORIGIN = 100;

export const mutations: Mutation[] = validArchives
  .filter(({ name }) => ORIGINS.includes(name))
  .flatMap((origin, index) =>
    Array.from({ length: PER_ORIGIN }, (_, count) => {
      const seed = 1 + index * PER_ORIGIN + count;
      return {
        name: `${origin.name}, changed by ${seed}`,
        origin,
        build: once(() => mutate(origin.build(), seed)),
      };
    }),
  );

/** One to three changes, most of them of a byte; half of them hit the headers at the end, which say most. */
function mutate(original: Uint8Array, seed: number): Uint8Array {
  const random = randomNumbers(seed);
  let bytes = Buffer.from(original);
  for (let changes = Math.max(1, random(6) - 2); changes > 0; changes--) {
    const reach = random(2) === 0 ? bytes.length : Math.min(bytes.length, 500);
    const at = Math.max(0, bytes.length - 1 - random(reach));
    const length = 1 + random(40);
    const [before, hit, after] = [
      bytes.subarray(0, at),
      bytes.subarray(at, at + length),
      bytes.subarray(at + length),
    ];
    const how = random(16);
    if (how === 0) bytes = Buffer.concat([before, after]);
    else if (how === 1) bytes = Buffer.concat([before, hit, hit, after]);
    else if (how === 2) bytes = Buffer.concat([before, Buffer.alloc(hit.length, random(2) * 0xff), after]);
    else if (how === 3) bytes = Buffer.from(before);
    else bytes[at] = random(256);
    if (bytes.length === 0) return bytes;
  }
  return bytes;
}

/** Pseudo-random numbers from a seed (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
