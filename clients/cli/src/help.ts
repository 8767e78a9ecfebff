import { COMMON_OPTIONS, type Command, type Option } from './call.ts';

/** The text of `perch --help`. */
export function helpOf(commands: readonly Command[]): string {
  const rows = commands.map(({ usage, summary }) => [usage, summary] as const);
  return `perch publishes pages, files, folders and values under a short address.

${table([
  ...rows,
  ['completion bash|zsh', 'print a script that completes perch in your shell'],
  ['--version', 'print the version of perch'],
])}

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

/** A script that completes commands and options, and paths where they are meant. */
export function completionFor(shell: 'bash' | 'zsh', commands: readonly Command[]): string {
  const cases = commands.map(({ name, options, words = [], takesPaths }) => {
    const flags = [...options, ...COMMON_OPTIONS].map((option) => `--${option.name}`);
    return `    ${name}) choices="${[...words, ...flags].join(' ')}"; paths=${takesPaths ? 1 : 0} ;;`;
  });
  const names = commands.map(({ name }) => name).join(' ');
  return shell === 'bash' ? bashScript(names, cases.join('\n')) : zshScript(names, cases.join('\n'));
}

const bashScript = (names: string, cases: string): string => `# source <(perch completion bash)
_perch() {
  local current="\${COMP_WORDS[COMP_CWORD]}" choices="" paths=0
  if [ "$COMP_CWORD" -eq 1 ]; then
    choices="${names}"
  else
    case "\${COMP_WORDS[1]}" in
${cases}
    esac
    # Bash completes paths by itself where this gives nothing: names with blanks come as one word then.
    if [ "$paths" -eq 1 ] && [ "\${current#-}" = "$current" ]; then
      COMPREPLY=()
      return
    fi
  fi
  compopt +o default 2>/dev/null
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -o default -F _perch perch
`;

const zshScript = (names: string, cases: string): string => `#compdef perch
# source <(perch completion zsh)
_perch() {
  local command="\${words[2]}" current="\${words[CURRENT]}"
  local choices="" paths=0
  if (( CURRENT == 2 )); then
    compadd -- ${names}
    return
  fi
  case "$command" in
${cases}
  esac
  if (( paths )) && [[ "$current" != -* ]]; then
    _files
  else
    compadd -- \${=choices}
  fi
}
compdef _perch perch
`;
