/** A string, a sign, or a run of anything else but white space. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s"{}[\]:,]+/g;

/**
 * The value of a member as it stands in a JSON object: with digits that a number of JavaScript would lose.
 * @param json an object that `JSON.parse` takes; of members with one name the last counts, as there
 * @throws RangeError when it has no such member
 */
export function memberText(json: string, name: string): string {
  let depth = 0;
  let isNext = false;
  let start: number | null = null;
  let found: string | null = null;
  let last = '';
  for (const { 0: token, index } of json.matchAll(TOKEN)) {
    if (start !== null && depth === 1 && (token === ',' || token === '}')) {
      found = json.slice(start, index).trimEnd();
      start = null;
    }
    if (isNext) start = index;
    isNext = depth === 1 && start === null && token === ':' && JSON.parse(last) === name;
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    last = token;
  }
  if (found === null) throw new RangeError(`no member "${name}" in this JSON`);
  return found;
}
