import type { Query } from '../../shared/items/sql.ts';

/** The execution plan of a statement, and the indexes that it used. */
export interface QueryPlan {
  /** `EXPLAIN (ANALYZE, BUFFERS)`, without the parts that were never run. */
  lines: string[];
  /** As the partitions call them, without the day. */
  indexes: string[];
}

/**
 * Runs reads of a repository and explains each statement before it runs: what is explained is the very statement, as the
 * planner sees it there. A statement that is an EXPLAIN itself only runs.
 */
export async function explain(tx: Query, read: (tx: Query) => Promise<unknown>): Promise<QueryPlan> {
  const lines: string[] = [];
  const explaining = new Proxy(tx, {
    apply(target, self, args) {
      const made: unknown = Reflect.apply(target as never, self, args);
      if (!(made instanceof Promise) || isExplain(args[0])) return made;
      // Fragments of statements are never awaited.
      return Object.assign(made, {
        // biome-ignore lint/suspicious/noThenProperty: a statement is a thenable by the client's design
        then: (resolve: (rows: unknown) => void, reject: (error: unknown) => void) =>
          tx`explain (analyze, buffers, costs off, timing off) ${made as never}`
            .then((rows) => lines.push(...rows.map((row) => String(Object.values(row)[0]))))
            .then(() => tx`${made as never}`)
            .then(resolve, reject),
      });
    },
  });
  await read(explaining);
  const indexes = lines
    .filter((line) => !line.includes('never executed'))
    .flatMap((line) => /(?: using | on )(\w+_(?:idx|pkey|words|client_ips))\b/.exec(line)?.[1] ?? []);
  return {
    lines: withoutNeverExecuted(lines),
    indexes: [...new Set(indexes.map((name) => name.replace(/^access_log_\d{8}_/, 'access_log_')))],
  };
}

/** Whether the text of a statement, a template's strings, begins with `explain`. */
const isExplain = (strings: readonly string[]): boolean => /^\s*explain\b/.test(strings[0] ?? '');

/** Details stand deeper than the node that they belong to. */
function withoutNeverExecuted(lines: string[]): string[] {
  let skippedDepth = Number.POSITIVE_INFINITY;
  return lines.filter((line) => {
    const depth = line.search(/\S/);
    if (depth <= skippedDepth)
      skippedDepth = line.includes('never executed') ? depth : Number.POSITIVE_INFINITY;
    return skippedDepth === Number.POSITIVE_INFINITY;
  });
}
