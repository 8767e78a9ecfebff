import type { Settled } from './redis-client.ts';

/** Most calls of one bundle. Redis does nothing else while it runs one: some 5 µs for each call. */
export const MAX_BUNDLED = 50;

/** A call of a script by its name. */
export interface ScriptCall<Name extends string = string> {
  name: Name;
  keys: string[];
  args: Array<string | number>;
}

/**
 * The Lua of a script that runs others, by name, one after the other, and replies with a list of their replies. ARGV has for
 * each its name, how many of KEYS and of ARGV are its own, and these arguments. An error of one is its reply, and concerns
 * no other.
 * @param scripts the Lua of each by its name
 */
export const bundleScript = (scripts: Readonly<Record<string, string>>): string => `
local scripts = {
${Object.entries(scripts)
  .map(([name, lua]) => `${name} = function(KEYS, ARGV)\n${lua}\nend`)
  .join(',\n')}
}
local replies = {}
local key = 1
local at = 1
while at <= #ARGV do
  local nextKey = key + tonumber(ARGV[at + 1])
  local nextAt = at + 3 + tonumber(ARGV[at + 2])
  local keys = {unpack(KEYS, key, nextKey - 1)}
  local isDone, reply = pcall(scripts[ARGV[at]], keys, {unpack(ARGV, at + 3, nextAt - 1)})
  if not isDone and type(reply) ~= 'table' then reply = {err = reply} end
  replies[#replies + 1] = reply
  key = nextKey
  at = nextAt
end
return replies`;

/** Calls of `bundleScript` in place of others. */
interface Bundles<Name extends string> {
  calls: ScriptCall<Name | 'bundle'>[];
  /** The outcome of each call that was bundled, in order, from those of the bundles. */
  outcomesOf(outcomes: readonly Settled[]): Settled[];
}

/** Puts calls together, at most so many at a time. One call by itself stays as it is. */
export function bundle<Name extends string>(calls: readonly ScriptCall<Name>[], most: number): Bundles<Name> {
  const bundles: ScriptCall<Name>[][] = [];
  for (let at = 0; at < calls.length; at += most) bundles.push(calls.slice(at, at + most));
  return {
    calls: bundles.map(callOf),
    outcomesOf: (outcomes) =>
      bundles.flatMap((bundled, place) => split(bundled.length, outcomes[place] ?? NO_REPLY)),
  };
}

const NO_REPLY: Settled = { error: new Error('no reply') };

function callOf<Name extends string>(calls: readonly ScriptCall<Name>[]): ScriptCall<Name | 'bundle'> {
  const [first] = calls;
  if (first !== undefined && calls.length === 1) return first;
  return {
    name: 'bundle',
    keys: calls.flatMap(({ keys }) => keys),
    args: calls.flatMap(({ name, keys, args }) => [name, keys.length, args.length, ...args]),
  };
}

/** A failure of the command itself is that of every call in it. */
function split(calls: number, outcome: Settled): Settled[] {
  if (calls === 1) return [outcome];
  if ('error' in outcome) return Array.from({ length: calls }, () => outcome);
  const replies = outcome.value as unknown[];
  return Array.from({ length: calls }, (_, place) => settledOf(replies[place]));
}

const settledOf = (reply: unknown): Settled =>
  reply === undefined ? NO_REPLY : reply instanceof Error ? { error: reply } : { value: reply };
