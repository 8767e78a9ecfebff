/** A test that failed, and what was printed while it ran. */
export interface Failure {
  test: string;
  /** The file it is in, or what ran in place of a test. */
  file: string;
  lines: string[];
}

/** Of one failure the last lines are shown, where its message is; a line may be a whole page of HTML. */
const MAX_LINES = 40;
const MAX_CHARACTERS = 300;

/** Number of failures that are shown; with more than these, one fault breaks everything. */
const MAX_FAILURES = 30;

const FILE = /^(\S.*\.test\.tsx?):$/;
const RESULT = /^\((pass|fail|skip|todo)\) (.*?)(?: \[[\d.]+m?s\])?$/;
/** Bun says below the result that a test was too slow. */
const AFTERTHOUGHT = /^ +\^ /;
/** After the last file of a long run Bun repeats the results of some tests. */
const REPETITION = /^\d+ tests? (?:failed|skipped|todo):$/;

/** The tests that failed according to what `bun test` wrote to standard error. */
export function failuresIn(output: string): Failure[] {
  const failures: Failure[] = [];
  let file = '';
  let printed: string[] = [];
  let last: Failure | null = null;
  for (const line of Bun.stripANSI(output).split('\n')) {
    if (REPETITION.test(line)) break;
    const [, begun] = FILE.exec(line) ?? [];
    const [, result, test = ''] = RESULT.exec(line) ?? [];
    if (begun !== undefined) file = begun;
    if (begun === undefined && result === undefined) {
      if (last !== null && AFTERTHOUGHT.test(line)) last.lines.push(line);
      else printed.push(line);
      continue;
    }
    last = result === 'fail' ? { test, file, lines: lastLines(printed) } : null;
    if (last !== null) failures.push(last);
    printed = [];
  }
  return failures;
}

/** The last output of a tool that has no tests, or did not finish. */
export const failureOf = (test: string, file: string, output: string): Failure => ({
  test,
  file,
  lines: lastLines(Bun.stripANSI(output).split('\n')),
});

function lastLines(lines: string[]): string[] {
  const text = lines.join('\n').trim();
  const kept = text === '' ? [] : text.split('\n');
  const shown = kept.slice(-MAX_LINES);
  if (shown.length < kept.length) shown.unshift(`… ${kept.length - shown.length} lines before`);
  return shown.map((line) => (line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line));
}

/** The failures, for the end of a long log: suite, file, test and output. Empty when nothing failed. */
export function failureReport(suites: Array<{ name: string; failures: Failure[] }>): string {
  const all = suites.flatMap(({ name, failures }) =>
    failures.map((failure) => ({ suite: name, ...failure })),
  );
  const shown = all.slice(0, MAX_FAILURES);
  const blocks = shown.map(({ suite, file, test, lines }) =>
    [`── failed: ${suite} · ${file} · ${test}`, ...lines.map((line) => `   ${line}`.trimEnd())].join('\n'),
  );
  if (shown.length < all.length) blocks.push(`── and ${all.length - shown.length} more`);
  return blocks.map((block) => `\n${block}\n`).join('');
}
