import { COMMON_OPTIONS } from './call.ts';
import type { Command } from './command.ts';

/** A script that completes commands and options, and paths where they are meant. */
export function completionFor(shell: 'bash' | 'zsh', commands: readonly Command[]): string {
  const cases = commands.map(({ name, options, words = [], takesPaths }) => {
    const flags = [...options, ...COMMON_OPTIONS].map((option) => `--${option.name}`);
    return `    ${name}) words="${[...words, ...flags].join(' ')}"; paths=${takesPaths ? 1 : 0} ;;`;
  });
  const names = commands.map(({ name }) => name).join(' ');
  return shell === 'bash' ? bashScript(names, cases.join('\n')) : zshScript(names, cases.join('\n'));
}

const bashScript = (names: string, cases: string): string => `# source <(perch completion bash)
_perch() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" paths=0
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${names}" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases}
  esac
  if [ "$paths" -eq 1 ] && [ "\${current#-}" = "$current" ]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  fi
}
complete -F _perch perch
`;

const zshScript = (names: string, cases: string): string => `#compdef perch
# source <(perch completion zsh)
_perch() {
  local words_of="" words paths=0
  local command="\${\${(z)BUFFER}[2]}"
  if (( CURRENT == 2 )); then
    compadd -- ${names}
    return
  fi
  case "$command" in
${cases}
  esac
  if (( paths )) && [[ "$PREFIX" != -* ]]; then
    _files
  else
    compadd -- \${=words}
  fi
}
compdef _perch perch
`;
