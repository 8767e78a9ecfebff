/** Where a text stops being JSON, counted from 1; `null` for a text that is JSON. */
export interface JsonFault {
  readonly message: string;
  readonly line: number | null;
  readonly column: number | null;
}

/** Checks a text as JSON. Engines say differently where it ends to be: by position, or by line and column. */
export function jsonFaultOf(text: string): JsonFault | null {
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? [];
    if (line !== undefined && column !== undefined)
      return { message, line: Number(line), column: Number(column) };
    const [, position] = /position (\d+)/.exec(message) ?? [];
    if (position === undefined) return { message, line: null, column: null };
    const lines = text.slice(0, Number(position)).split('\n');
    return { message, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
  }
}
