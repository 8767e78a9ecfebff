/** A header value such as `form-data; name="file"`: its first word in lower case, and what follows by name. */
export interface HeaderParameters {
  value: string;
  /** As sent between the quotes, escapes resolved; names are in lower case. */
  parameters: Map<string, string>;
}

/** RFC 9110 section 5.6.6, with spaces in bare values forgiven: clients send file names like that. */
const PARAMETER = /;[\t ]*([^\s=;"]+)[\t ]*=[\t ]*(?:"((?:[^"\\]|\\.)*)"|([^";]*))[\t ]*/y;

/** Parses a header value; `null` when it does not follow the grammar, or gives a parameter twice. */
export function parseHeaderParameters(header: string): HeaderParameters | null {
  const end = header.indexOf(';');
  const value = header
    .slice(0, end < 0 ? undefined : end)
    .trim()
    .toLowerCase();
  const rest = end < 0 ? '' : header.slice(end, behindLast(header));
  const parameters = new Map<string, string>();
  for (let position = 0; position < rest.length; ) {
    PARAMETER.lastIndex = position;
    const found = PARAMETER.exec(rest);
    const [whole = '', name = '', quoted, bare = ''] = found ?? [];
    const key = name.toLowerCase();
    if (found === null || parameters.has(key)) return null;
    // A backslash that escapes nothing is literal: browsers do not escape backslashes of file names.
    parameters.set(key, quoted === undefined ? bare.trim() : quoted.replace(/\\(["\\])/g, '$1'));
    position += whole.length;
  }
  return { value, parameters };
}

/**
 * Index behind the last character that is neither space nor semicolon. A regular expression would take quadratic time.
 */
function behindLast(header: string): number {
  let stop = header.length;
  while (stop > 0 && ' \t;'.includes(header.charAt(stop - 1))) stop -= 1;
  return stop;
}
