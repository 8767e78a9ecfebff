import { COMMON_OPTIONS, type Option } from './call.ts';
import type { Command } from './command.ts';

/** The text of `perch --help`. */
export function helpOf(commands: readonly Command[]): string {
  const rows = commands.map(({ usage, summary }) => [usage, summary] as const);
  return `perch publishes pages, files, folders and values under a short address.

${table([...rows, ['completion bash|zsh', 'print a script that completes perch in your shell']])}

Options of every command:
${optionsOf(COMMON_OPTIONS)}

perch COMMAND --help has its options. ADDRESS is namespace/id, an id in public, a URL, or a path that was published.
Environment: PERCH_URL, PERCH_TOKEN. Exit codes: 0 done, 1 unexpected, 2 wrong use, 3 not there, 4 not allowed,
5 refused, 6 too often, 7 not reachable.`;
}

export const helpOfCommand = ({ usage, summary, options }: Command): string =>
  `Usage: perch ${usage}\n\n${summary}\n\n${optionsOf([...options, ...COMMON_OPTIONS])}`;

const optionsOf = (options: readonly Option[]): string =>
  table(
    options.map(({ name, short, value, help }) => [
      `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
      help,
    ]),
  );

function table(rows: ReadonlyArray<readonly [string, string]>): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}
